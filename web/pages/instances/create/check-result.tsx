import { Text } from '@mantine/core';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Icon } from '../../../components/icon.tsx';
import { otherProblems } from '../../../data/field-problems.ts';
import { joinNames } from '../../../data/format-text.ts';
import classes from './create.module.css';
import type { DryRun } from './use-dry-run.ts';

interface CheckResultProps {
  readonly check: DryRun;
  /** The reason why the form cannot be sent to the server for validation; `undefined` if it can be sent. */
  readonly fault: string | undefined;
  /** True if a problem is already shown at one of the form fields. */
  readonly hasFieldProblem: boolean;
  /** The labels of invalid fields that the user has not edited yet. */
  readonly missing: readonly string[];
  /** The paths of the form fields that show their own problems. */
  readonly shownPaths: readonly string[];
}

/** Shows the result of the server's dry run, or the reason why there is none. */
export function CheckResult({ check, fault, hasFieldProblem, missing, shownPaths }: CheckResultProps) {
  if (fault !== undefined) return <Line icon="warning">{fault}</Line>;
  if (check.state === 'checking') return <Line icon="clock">Validating…</Line>;
  if (check.state === 'good') {
    const cluster = check.object?.spec?.clusterRef?.cluster ?? '';
    return (
      <Line icon="check">
        {cluster === ''
          ? 'Ready to create. The server selects a cluster.'
          : `Ready to create on the cluster “${cluster}”.`}
      </Line>
    );
  }
  const others = otherProblems(check.error, shownPaths);
  if (others.length === 0 && missing.length === 0 && !hasFieldProblem) return <ErrorNotice error={check.error} />;
  return (
    <>
      {hasFieldProblem ? <Line icon="warning">Some fields are invalid.</Line> : null}
      {missing.length === 0 ? null : (
        <Line icon="edit">{`${joinNames(missing)} ${missing.length === 1 ? 'is' : 'are'} required.`}</Line>
      )}
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
