import { Button, Group, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useMemo, useRef, useState } from 'react';
import { projectNamespace } from '../../../../src/api/naming.ts';
import { StatusError } from '../../../../src/api/status.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { LinkButton } from '../../../components/link-button.tsx';
import { Panel } from '../../../components/panel.tsx';
import { fieldProblems } from '../../../data/field-problems.ts';
import type { InstanceType } from '../../../data/instance-types.ts';
import { createObject } from '../../../data/objects/objects.ts';
import { usePermissions } from '../../../data/permissions.ts';
import type { CreatableProject } from '../../../data/use-creatable-projects.ts';
import { CheckResult } from './check-result.tsx';
import classes from './create.module.css';
import { DetailsPanel } from './details-panel.tsx';
import { LifecyclePanel } from './lifecycle-panel.tsx';
import { ManifestPanel } from './manifest-panel.tsx';
import { ParameterPanel } from './parameter-panel.tsx';
import { TemplatePanel } from './template-panel.tsx';
import { type DraftForm, useDraftForm } from './use-draft-form.ts';
import { useDryRun } from './use-dry-run.ts';

interface CreateFormProps {
  readonly type: InstanceType;
  readonly projects: readonly CreatableProject[];
  readonly project: string;
  readonly template: string;
}

/**
 * The labels of the form fields that show their own problems, by path. The problems of all other fields are listed
 * together.
 */
const fieldLabels: Readonly<Record<string, string>> = {
  'metadata.name': 'Name',
  'metadata.namespace': 'Project',
  'spec.displayName': 'Display name',
  'spec.description': 'Description',
  'spec.templateRef.name': 'Template',
  'spec.templateRef.version': 'Version',
  'spec.clusterRef': 'Cluster',
  'spec.owner': 'Owner',
  'spec.template': 'Template',
};

/** The creation form. The server validates it with a dry run while the user types. */
export function CreateForm({ type, projects, project, template }: CreateFormProps) {
  const form = useDraftForm({ type, project, template });
  const [textFault, setTextFault] = useState<string>();
  const [templateFault, setTemplateFault] = useState<string>();
  const fault = textFault ?? templateFault;
  const [isTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const element = useRef<HTMLFormElement>(null);
  const navigate = useNavigate();
  const namespace = projectNamespace(form.project);
  const about = { verb: 'create', kind: type.kind, namespace };
  const [inline, setOwner] = usePermissions([
    { ...about, subresource: 'restricted' },
    { ...about, subresource: 'spec.owner' },
  ]);
  const check = useDryRun(type.kind, namespace, form.offer.isKnown && fault === undefined ? form.manifest : undefined);
  const isNamed = form.fields.name.trim() !== '';
  const found = useMemo(() => problemsOf(check.error, isNamed), [check.error, isNamed]);

  const labels = { ...fieldLabels, ...parameterLabels(form.parameters) };
  const shownPaths = Object.keys(labels);
  const problem = (path: string) => {
    // As long as the dry run is in progress, the last result belongs to an earlier name, so its problem is not shown.
    if (path === 'metadata.name' && check.state === 'checking') return undefined;
    return isTried || form.isTouched(path) ? found(path) : undefined;
  };
  const wrong = Object.entries(labels).filter(([path]) => found(path) !== undefined);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setTried(true);
    if (fault !== undefined) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const made = await createObject(type.kind, form.manifest, { namespace });
      const created = made.metadata.name ?? '';
      await navigate({ to: type.createPath, search: { project: form.project, created }, replace: true });
    } catch (error) {
      setBusy(false);
      const own = problemsOf(error, isNamed);
      const first = shownPaths.find((path) => own(path) !== undefined);
      if (first === undefined) setFailure(error);
      else element.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(first)}"]`)?.focus();
    }
  }

  const causes = check.error instanceof StatusError ? (check.error.status.details?.causes ?? []) : [];
  return (
    <form ref={element} className={classes.layout} onSubmit={(event) => void submit(event)} noValidate>
      <fieldset className={classes.fields} disabled={textFault !== undefined} aria-label={type.title}>
        <DetailsPanel form={form} problem={problem} projects={projects} />
        <TemplatePanel form={form} problem={problem} mayInline={inline?.allowed === true} onFault={setTemplateFault} />
        <ParameterPanel form={form} problem={problem} />
        <LifecyclePanel form={form} problem={problem} maySetOwner={setOwner?.allowed === true} />
      </fieldset>
      <div className={classes.beside}>
        <Panel>
          <Stack gap="sm">
            <div role="status" aria-live="polite">
              <CheckResult
                check={check}
                fault={fault}
                shownPaths={shownPaths}
                hasFieldProblem={wrong.some(([path]) => problem(path) !== undefined)}
                missing={wrong.filter(([path]) => problem(path) === undefined).map(([, label]) => label)}
              />
            </div>
            <FormActions type={type} isBusy={isBusy} isDisabled={fault !== undefined} failure={failure} />
          </Stack>
        </Panel>
        <ManifestPanel
          form={form}
          projects={projects.map(({ name }) => name)}
          problems={causes.map(({ field = '', message = '' }) => ({ path: field, message }))}
          onFault={setTextFault}
        />
      </div>
    </form>
  );
}

interface FormActionsProps {
  readonly type: InstanceType;
  readonly isBusy: boolean;
  readonly isDisabled: boolean;
  /** The error of the last attempt to create the instance; `undefined` if there is none. */
  readonly failure: unknown;
}

function FormActions({ type, isBusy, isDisabled, failure }: FormActionsProps) {
  return (
    <>
      {failure === undefined ? null : <ErrorNotice error={failure} />}
      <Group gap="sm">
        <Button type="submit" loading={isBusy} disabled={isDisabled}>
          Create {type.noun}
        </Button>
        <LinkButton to={type.listPath} variant="default">
          Cancel
        </LinkButton>
      </Group>
    </>
  );
}

function parameterLabels(parameters: DraftForm['parameters']): Record<string, string> {
  return Object.fromEntries(
    parameters.map(({ variable, label }) => [
      `spec.parameters.${variable}`,
      label === undefined || label === '' ? variable : label,
    ]),
  );
}

/**
 * Returns a function that finds the problem of a field. The error that the name is taken is shown at the name field.
 * For a missing name, the server's message is replaced, because it mentions `generateName`, which the form does not
 * have.
 */
function problemsOf(error: unknown, isNamed: boolean) {
  const named = fieldProblems(error);
  const isTaken = error instanceof StatusError && error.status.reason === 'AlreadyExists';
  return (path: string) => {
    if (path !== 'metadata.name') return named(path);
    if (isTaken) return 'A virtual cluster with this name already exists in the project.';
    return isNamed || named(path) === undefined ? named(path) : 'Name is required.';
  };
}
