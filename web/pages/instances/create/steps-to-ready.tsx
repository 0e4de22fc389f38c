import { Loader, Text } from '@mantine/core';
import { Icon, type IconName } from '../../../components/icon.tsx';
import { conditionLabels, type InstanceState } from '../detail/instance-state.ts';
import { elapsedText, type ReadyStep, stepsToReady } from './ready-steps.ts';
import classes from './steps-to-ready.module.css';

const signs: Readonly<Record<Exclude<ReadyStep['state'], 'doing'>, IconName>> = {
  done: 'check',
  held: 'warning',
  waiting: 'clock',
};

const stateLabels: Readonly<Record<ReadyStep['state'], string>> = {
  done: 'done',
  doing: 'in progress',
  held: 'blocked',
  waiting: 'pending',
};

/** A list of the steps until an instance is ready, with the time of each step. */
export function StepsToReady({ instance: { type, conditions, object, name } }: { readonly instance: InstanceState }) {
  const steps = stepsToReady(type.conditionTypes, conditions, object.metadata.creationTimestamp);
  return (
    <ol className={classes.steps} aria-label={`Steps until ${name} is ready`}>
      {steps.map(({ type: step, state, message, after }) => (
        <li key={step} data-state={state}>
          <span className={classes.sign}>
            {state === 'doing' ? <Loader size={14} aria-hidden="true" /> : <Icon name={signs[state]} size={14} />}
          </span>
          <div className={classes.text}>
            <Text size="sm" fw={state === 'waiting' ? 400 : 600} component="span">
              {conditionLabels[step] ?? step}
            </Text>
            {message === '' ? null : (
              <Text size="sm" c="dimmed">
                {message}
              </Text>
            )}
          </div>
          <Text size="xs" c="dimmed" className={classes.when}>
            {after === undefined ? stateLabels[state] : elapsedText(after)}
          </Text>
        </li>
      ))}
    </ol>
  );
}
