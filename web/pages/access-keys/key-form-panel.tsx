import { Alert, Button, Grid, Group, Radio, Stack, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { apiVersionOf } from '../../../src/api/meta.ts';
import { scopeCliFlag } from '../../../src/api/naming.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { DisplayFieldInputs } from '../../components/form/display-field-inputs.tsx';
import { notify } from '../../components/notifications.tsx';
import { useNow } from '../../components/object/age.tsx';
import { Panel } from '../../components/panel.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { createObject } from '../../data/objects/objects.ts';
import { hasStatusReason } from '../../data/objects/use-object.ts';
import { useSelf } from '../../data/session/use-self.ts';
import { describeScope, fullAccessText } from './describe-scope.ts';
import { describeLifetime, type KeyForm, keyDocument, withCliDefault } from './key-form.ts';
import classes from './key-form-panel.module.css';
import { KeyValueDialog } from './key-value-dialog.tsx';
import { LifetimeFields } from './lifetime-fields.tsx';
import { OwnerField } from './owner-field.tsx';
import { ScopeBuilder } from './scope-builder.tsx';
import { ScopePanel } from './scope-panel.tsx';

/**
 * The form that creates an access key. A panel beside the form describes the permissions of the key and is updated by
 * each edit. After the creation, a dialog shows the value of the key.
 */
export function KeyFormPanel({ initial }: { readonly initial: KeyForm }) {
  const [form, setForm] = useState(initial);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [made, setMade] = useState<{ readonly name: string; readonly value: string }>();
  const { self } = useSelf();
  const navigate = useNavigate();
  const now = useNow();
  const set = (part: Partial<KeyForm>) => setForm((before) => ({ ...before, ...part }));
  const scope = form.isNarrowed ? withCliDefault(form.scope) : undefined;
  const description = describeScope(scope);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { kind } = kinds.ownedKey;
      const document = { apiVersion: apiVersionOf(kinds.ownedKey), kind, ...keyDocument(form) };
      const key = await createObject(kinds.ownedKey, document);
      setMade({ name: key.metadata.name ?? '', value: key.spec?.key ?? '' });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  function close(): void {
    notify.done(`Created ${made?.name}`);
    setMade(undefined);
    void navigate({ to: '/keys' });
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate aria-label="New access key">
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <DetailsSection form={form} set={set} error={error} />
          <ScopeSection form={form} set={set} error={error} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }} className={classes.beside ?? ''}>
          <ScopePanel title="Permissions" description={description} lifetime={describeLifetime(form, now)} />
          {self?.accessKeyScope === undefined ? null : (
            <Alert color="yellow" mb="md" title="You are signed in with a scoped key">
              A new key cannot have a wider scope than the key that you signed in with.
            </Alert>
          )}
          {error === undefined ? null : <ErrorNotice error={error} />}
          <Group justify="flex-end">
            <Button variant="default" component={Link} to="/keys">
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} disabled={description.isEmpty}>
              Create access key
            </Button>
          </Group>
        </Grid.Col>
      </Grid>
      {made === undefined ? null : (
        <KeyValueDialog
          name={made.name}
          value={made.value}
          isForCli={scope === undefined || scope[scopeCliFlag] === true}
          onClose={close}
        />
      )}
    </form>
  );
}

interface SectionProps {
  readonly form: KeyForm;
  set(part: Partial<KeyForm>): void;
  readonly error: unknown;
}

function DetailsSection({ form, set, error }: SectionProps) {
  const problem = fieldProblems(error);
  const isTaken = hasStatusReason(error, 'AlreadyExists');
  return (
    <Panel title="Details">
      <Stack gap="md">
        <TextInput
          label="Name"
          description="Use lowercase letters, digits and hyphens. If you leave the field empty, the server generates a name."
          value={form.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={problem('metadata.name') ?? (isTaken ? 'An access key with this name already exists.' : undefined)}
          autoComplete="off"
          spellCheck={false}
        />
        <DisplayFieldInputs value={form} onChange={set} problem={problem} about="The purpose of the key. Optional." />
        <OwnerField
          value={form.owner}
          onChange={(owner) => set({ owner })}
          error={problem('spec.user') ?? problem('spec.team')}
        />
        <LifetimeFields value={form} onChange={set} error={problem('spec.ttl')} />
      </Stack>
    </Panel>
  );
}

function ScopeSection({ form, set, error }: SectionProps) {
  return (
    <Panel title="Scope">
      <Stack gap="lg">
        <Radio.Group
          aria-label="Scope"
          value={form.isNarrowed ? 'some' : 'all'}
          onChange={(value) => set({ isNarrowed: value === 'some' })}
        >
          <Stack gap="xs">
            <Radio value="all" label="Full access" description={fullAccessText} />
            <Radio
              value="some"
              label="Limited access"
              description="Only the permissions that you select. This limits the damage if the key leaks."
            />
          </Stack>
        </Radio.Group>
        {form.isNarrowed ? (
          <ScopeBuilder scope={form.scope} onChange={(scope) => set({ scope })} problem={fieldProblems(error)} />
        ) : null}
      </Stack>
    </Panel>
  );
}
