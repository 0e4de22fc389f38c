import classes from './status-badge.module.css';

export type Tone = 'good' | 'calm' | 'busy' | 'bad' | 'off';

/** Words that the server says of how something stands, and how they look. */
const tones: Record<string, Tone> = {
  Ready: 'good',
  Active: 'good',
  Online: 'good',
  Initialized: 'good',
  True: 'good',
  Sleeping: 'calm',
  Pending: 'busy',
  Terminating: 'busy',
  Disabled: 'off',
  Expired: 'off',
  Failed: 'bad',
  Offline: 'bad',
  False: 'bad',
};

/** The word itself says it; the dot only makes it quick to find. */
export function StatusBadge({ status, tone }: { readonly status: string; readonly tone?: Tone }) {
  const shown = status === '' ? 'Pending' : status;
  return (
    <span className={classes.badge} data-tone={tone ?? tones[shown] ?? 'off'}>
      {shown}
    </span>
  );
}
