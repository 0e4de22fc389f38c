import { Text } from '@mantine/core';
import type { Condition } from '../../../src/api/conditions.ts';
import { Icon, type IconName } from '../icon.tsx';
import { Age } from './age.tsx';
import classes from './conditions.module.css';

export interface ConditionsProps {
  readonly conditions: readonly Condition[];
  /** Display names by condition type. For any other type, the type itself is shown. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The accessible name of the list. */
  readonly label: string;
  /**
   * Reasons that a condition has when it is False only because the virtual cluster sleeps. Such a condition is not
   * shown as a failure.
   */
  readonly sleepReasons?: readonly string[];
  /** A message that the page already shows above the conditions. The list does not repeat it. */
  readonly shownMessage?: string;
}

const noReasons: readonly string[] = [];

/**
 * A list of conditions. Each shows its display name, status, last transition and message. The type and the reason are in
 * the tooltip. The reason is also visible if the condition is not True, because users search for it.
 */
export function Conditions({
  conditions,
  labels = {},
  label,
  sleepReasons = noReasons,
  shownMessage = '',
}: ConditionsProps) {
  if (conditions.length === 0) {
    return (
      <Text c="dimmed" size="sm">
        No conditions reported yet.
      </Text>
    );
  }
  return (
    <ul className={classes.list} aria-label={label}>
      {conditions.map(({ type, status, reason = '', message = '', lastTransitionTime = '' }, index) => (
        <li key={type} className={classes.line}>
          <span className={classes.sign} data-status={sleepReasons.includes(reason) ? 'asleep' : status}>
            <Icon name={sleepReasons.includes(reason) ? 'moon' : signs[status]} size={14} />
          </span>
          <div className={classes.text}>
            <div className={classes.head}>
              <Text
                size="sm"
                fw={600}
                component="span"
                title={`Condition ${type}${reason === '' ? '' : `, reason ${reason}`}`}
              >
                {labels[type] ?? type}
              </Text>
              <Text size="xs" c="dimmed" component="span" className={classes.since}>
                {status}
                {lastTransitionTime === '' ? null : (
                  <>
                    {' '}
                    for <Age since={lastTransitionTime} />
                  </>
                )}
              </Text>
            </div>
            <Text size="sm" c="dimmed" className={classes.message}>
              {messageText(message, shownMessage, conditions.slice(0, index), labels)}
            </Text>
            {status === 'True' || reason === '' ? null : (
              <Text size="xs" c="dimmed">
                Reason: <span className="mono">{reason}</span>
              </Text>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

const signs: Record<Condition['status'], IconName> = { True: 'check', False: 'close', Unknown: 'clock' };

/**
 * Returns the message of a condition. If the page already shows this message above the conditions, returns a reference
 * to that place.
 */
function messageText(
  message: string,
  shownMessage: string,
  earlier: readonly Condition[],
  labels: Readonly<Record<string, string>>,
): string {
  if (message === '') return 'No message.';
  if (message === shownMessage) return 'See the message above.';
  const same = earlier.find((one) => one.message === message);
  return same === undefined ? message : `Same message as "${labels[same.type] ?? same.type}".`;
}
