import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { LoadingIndicator } from '../../components/loading-indicator.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { getObject } from '../../data/objects/objects.ts';
import { parsePrincipalKey } from '../../data/principals.ts';
import { useSelf } from '../../data/session/use-self.ts';
import { duplicateKeyForm, initialKeyForm } from './key-form.ts';
import { KeyFormPanel } from './key-form-panel.tsx';
import { keySpec } from './key-spec.ts';

/** The page that creates an access key and shows its value once. */
export function CreateKeyPage() {
  const { like, owner } = useSearch({ from: '/keys/new' });
  return (
    <>
      <PageHeader
        title="New access key"
        above={
          <Anchor component={Link} to="/keys" size="sm">
            Access keys
          </Anchor>
        }
        about={
          like === undefined
            ? undefined
            : `The form starts with the settings of ${like}. The new key gets its own value.`
        }
      />
      {like === undefined ? (
        <KeyFormPanel
          initial={{ ...initialKeyForm, owner: owner === undefined ? undefined : parsePrincipalKey(owner) }}
        />
      ) : (
        <DuplicateKeyForm like={like} />
      )}
    </>
  );
}

function DuplicateKeyForm({ like }: { readonly like: string }) {
  const { isAdmin } = useSelf();
  const kind = isAdmin ? kinds.accessKey : kinds.ownedKey;
  const { data, error, refetch } = useQuery({
    queryKey: ['key-like', kind.plural, like],
    queryFn: async ({ signal }) => keySpec(await getObject(kind, { name: like }, { signal })),
  });
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <LoadingIndicator message={`Loading ${like}`} />;
  return <KeyFormPanel key={like} initial={duplicateKeyForm(data)} />;
}
