import { Text } from '@mantine/core';
import type { Condition } from '../../src/api/conditions.ts';
import { Age } from './age.tsx';
import classes from './conditions.module.css';
import { Icon, type IconName } from './icon.tsx';

export interface ConditionsProps {
  readonly conditions: readonly Condition[];
  /** What a type means, in words for people; one that is not there is shown as the server calls it. */
  readonly words?: Readonly<Record<string, string>>;
  /** The list's name. */
  readonly label: string;
  /** Reasons for which something rests as somebody wants it to: what does not hold then is no fault. */
  readonly restful?: readonly string[];
}

const noReasons: readonly string[] = [];

/** What is known of something, a line for each condition: whether it holds, since when, why, and what to do. */
export function Conditions({ conditions, words = {}, label, restful = noReasons }: ConditionsProps) {
  if (conditions.length === 0) {
    return (
      <Text c="dimmed" size="sm">
        Nothing is known of it yet.
      </Text>
    );
  }
  return (
    <ul className={classes.list} aria-label={label}>
      {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
        <li key={type} className={classes.line}>
          <span className={classes.sign} data-status={restful.includes(reason ?? '') ? 'asleep' : status}>
            <Icon name={restful.includes(reason ?? '') ? 'moon' : signs[status]} size={14} />
          </span>
          <div className={classes.text}>
            <div className={classes.head}>
              <Text size="sm" fw={600} component="span">
                {words[type] ?? type}
              </Text>
              <Text size="xs" c="dimmed" component="span" className={classes.since}>
                {statusWords[status]} · <Age since={lastTransitionTime} />
              </Text>
            </div>
            <Text size="sm" c="dimmed" className={classes.message}>
              {message === undefined || message === '' ? 'The server gives no reason.' : message}
            </Text>
            <Text size="xs" c="dimmed" className="mono">
              {type}
              {reason === undefined || reason === '' ? '' : `: ${reason}`}
            </Text>
          </div>
        </li>
      ))}
    </ul>
  );
}

const signs: Record<Condition['status'], IconName> = { True: 'check', False: 'close', Unknown: 'clock' };
const statusWords: Record<Condition['status'], string> = { True: 'yes', False: 'no', Unknown: 'not known' };
