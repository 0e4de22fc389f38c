import { Text } from '@mantine/core';
import type { Condition } from '../../../src/api/conditions.ts';
import { Icon, type IconName } from '../icon.tsx';
import { Age } from './age.tsx';
import classes from './conditions.module.css';

export interface ConditionsProps {
  readonly conditions: readonly Condition[];
  /** Display names by condition type. A type without a display name is shown as it is. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The accessible name of the list. */
  readonly label: string;
  /**
   * Reasons of conditions that are False because the virtual cluster sleeps. Such a condition is not shown as a
   * failure.
   */
  readonly sleepReasons?: readonly string[];
}

const noReasons: readonly string[] = [];

/** A list of conditions. Each shows its type, status, last transition, message and reason. */
export function Conditions({ conditions, labels = {}, label, sleepReasons = noReasons }: ConditionsProps) {
  if (conditions.length === 0) {
    return (
      <Text c="dimmed" size="sm">
        No conditions reported yet.
      </Text>
    );
  }
  return (
    <ul className={classes.list} aria-label={label}>
      {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
        <li key={type} className={classes.line}>
          <span className={classes.sign} data-status={sleepReasons.includes(reason ?? '') ? 'asleep' : status}>
            <Icon name={sleepReasons.includes(reason ?? '') ? 'moon' : signs[status]} size={14} />
          </span>
          <div className={classes.text}>
            <div className={classes.head}>
              <Text size="sm" fw={600} component="span">
                {labels[type] ?? type}
              </Text>
              <Text size="xs" c="dimmed" component="span" className={classes.since}>
                {statusWords[status]} · <Age since={lastTransitionTime} />
              </Text>
            </div>
            <Text size="sm" c="dimmed" className={classes.message}>
              {message === undefined || message === '' ? 'No message.' : message}
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
const statusWords: Record<Condition['status'], string> = { True: 'True', False: 'False', Unknown: 'Unknown' };
