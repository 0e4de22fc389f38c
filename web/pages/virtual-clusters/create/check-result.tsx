import { Text } from '@mantine/core';
import { textAt } from '../../../../src/lib/json-path.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Icon } from '../../../components/icon.tsx';
import { otherProblems } from '../../../data/field-problems.ts';
import classes from './create.module.css';
import type { DryRun } from './use-dry-run.ts';

interface CheckResultProps {
  readonly check: DryRun;
  /** Why it cannot be asked about. */
  readonly fault: string | undefined;
  /** Whether a field says what is wrong with it. */
  readonly isTold: boolean;
  /** Fields where nobody has been, and where something is to be said. */
  readonly missing: readonly string[];
  /** Fields whose problems stand beside them. */
  readonly shownPaths: readonly string[];
}

/** What the server would say if it were sent as it stands. */
export function CheckResult({ check, fault, isTold, missing, shownPaths }: CheckResultProps) {
  if (fault !== undefined) return <Line icon="warning">{fault}</Line>;
  if (check.state === 'checking') return <Line icon="clock">The server is looking at it…</Line>;
  if (check.state === 'good') {
    const cluster = textAt(check.answer, 'spec', 'clusterRef', 'cluster');
    return (
      <Line icon="check">
        {cluster === ''
          ? 'It can be made. A cluster is found for it later.'
          : `It can be made. It will run on ${cluster}.`}
      </Line>
    );
  }
  const others = otherProblems(check.error, shownPaths);
  if (others.length === 0 && missing.length === 0 && !isTold) return <ErrorNotice error={check.error} />;
  return (
    <>
      {isTold ? <Line icon="warning">Something is not right yet; it stands at the field.</Line> : null}
      {missing.length === 0 ? null : <Line icon="edit">{`Still to say: ${missing.join(', ')}.`}</Line>}
      {others.map((text) => (
        <Line key={text} icon="warning">
          {text}
        </Line>
      ))}
    </>
  );
}

function Line({
  icon,
  children,
}: {
  readonly icon: 'check' | 'clock' | 'edit' | 'warning';
  readonly children: string;
}) {
  return (
    <Text size="sm" component="div" className={classes.check ?? ''} data-kind={icon}>
      <Icon name={icon} size={16} />
      <span>{children}</span>
    </Text>
  );
}
