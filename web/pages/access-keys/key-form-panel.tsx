import { Alert, Button, Grid, Group, Radio, Stack, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { apiVersionOf } from '../../../src/api/meta.ts';
import { scopeCliFlag } from '../../../src/api/naming.ts';
import { textAt } from '../../../src/lib/json-path.ts';
import { useNow } from '../../components/age.tsx';
import { DescribedFields } from '../../components/described-fields.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { notify } from '../../components/notices.tsx';
import { Panel } from '../../components/panel.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { createObject } from '../../data/objects.ts';
import { isRefusal } from '../../data/use-object.ts';
import { useSelf } from '../../data/use-self.ts';
import { describeScope } from './describe-scope.ts';
import { describeLifetime, type KeyForm, keyDocument } from './key-form.ts';
import classes from './key-form-panel.module.css';
import { KeyValueDialog } from './key-value-dialog.tsx';
import { LifetimeFields } from './lifetime-fields.tsx';
import { OwnerField } from './owner-field.tsx';
import { ReachPanel } from './reach-panel.tsx';
import { ScopeBuilder } from './scope-builder.tsx';
import { whoseWords } from './whose.ts';

/** The form, beside it in words what comes out of it, and when it is made the value. */
export function KeyFormPanel({ initial }: { readonly initial: KeyForm }) {
  const [form, setForm] = useState(initial);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [made, setMade] = useState<{ readonly name: string; readonly value: string }>();
  const { self } = useSelf();
  const navigate = useNavigate();
  const now = useNow();
  const set = (part: Partial<KeyForm>) => setForm((before) => ({ ...before, ...part }));
  const description = describeScope(form.isNarrowed ? form.scope : undefined, whoseWords(form.owner, self));

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { kind } = kinds.ownedKey;
      const document = { apiVersion: apiVersionOf(kinds.ownedKey), kind, ...keyDocument(form) };
      const key = await createObject(kinds.ownedKey, document);
      setMade({ name: key.metadata.name ?? '', value: textAt(key, 'spec', 'key') });
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  }

  function close(): void {
    notify.done(`The key ${made?.name} is there`);
    setMade(undefined);
    void navigate({ to: '/keys' });
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate aria-label="New access key">
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <WhoAndHowLong form={form} set={set} error={error} />
          <Reach form={form} set={set} error={error} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }} className={classes.beside ?? ''}>
          <ReachPanel
            title="What this key will be able to do"
            description={description}
            lifetime={describeLifetime(form, now)}
          />
          {self?.accessKeyScope === undefined ? null : (
            <Alert color="yellow" mb="md" title="You are signed in with a narrowed key">
              What you make with it is never wider than that key itself.
            </Alert>
          )}
          {error === undefined ? null : <ErrorNotice error={error} />}
          <Group justify="flex-end">
            <Button variant="default" component={Link} to="/keys">
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} disabled={description.isEmpty}>
              Create the key
            </Button>
          </Group>
        </Grid.Col>
      </Grid>
      {made === undefined ? null : (
        <KeyValueDialog
          name={made.name}
          value={made.value}
          isForCli={!form.isNarrowed || form.scope[scopeCliFlag] === true}
          onClose={close}
        />
      )}
    </form>
  );
}

interface PartProps {
  readonly form: KeyForm;
  set(part: Partial<KeyForm>): void;
  readonly error: unknown;
}

function WhoAndHowLong({ form, set, error }: PartProps) {
  const problem = fieldProblems(error);
  const isTaken = isRefusal(error, 'AlreadyExists');
  return (
    <Panel title="The key">
      <Stack gap="md">
        <TextInput
          label="Name"
          description="Small letters, digits and dashes. Left empty, the server names it."
          value={form.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={problem('metadata.name') ?? (isTaken ? 'A key of this name is there already.' : undefined)}
          autoComplete="off"
          spellCheck={false}
        />
        <DescribedFields
          value={form}
          onChange={set}
          problem={problem}
          about="What it is for, so that somebody knows later."
        />
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

function Reach({ form, set, error }: PartProps) {
  return (
    <Panel title="What it may reach">
      <Stack gap="lg">
        <Radio.Group
          aria-label="What it may reach"
          value={form.isNarrowed ? 'some' : 'all'}
          onChange={(value) => set({ isNarrowed: value === 'some' })}
        >
          <Stack gap="xs">
            <Radio value="all" label="Everything that its owner may do" />
            <Radio
              value="some"
              label="Only what is chosen here"
              description="If the value gets into wrong hands, they reach no more than this."
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
