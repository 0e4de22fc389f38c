import classes from './status-badge.module.css';

export type BadgeTone = 'good' | 'calm' | 'busy' | 'bad' | 'off';

/** The color tone of each status that the server reports. */
const tones: Record<string, BadgeTone> = {
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
  Quarantined: 'bad',
  Offline: 'bad',
  False: 'bad',
};

/** A status text with a colored dot. The text is sufficient; the color makes the status easier to find. */
export function StatusBadge({ status, tone }: { readonly status: string; readonly tone?: BadgeTone }) {
  const shown = status === '' ? 'Pending' : status;
  return (
    <span className={classes.badge} data-tone={tone ?? tones[shown] ?? 'off'}>
      {shown}
    </span>
  );
}
