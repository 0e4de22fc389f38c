import { SegmentedControl, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { EffectiveAccess } from '../../components/access/effective-access.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { type AccessSearch, questionOf } from './access-search.ts';
import { ObjectFields } from './object-fields.tsx';
import { SubjectFields } from './subject-fields.tsx';

/**
 * The page that shows either the permissions of a user, team or key, or everyone with access to an object. Each entry
 * names the grants that give the access.
 */
export function AccessPage() {
  const search = useSearch({ from: '/effective-access' });
  const navigate = useNavigate();
  const change = (next: AccessSearch) => void navigate({ to: '/effective-access', search: next });
  const question = questionOf(search);
  const isByObject = search.by === 'object';
  return (
    <>
      <PageHeader
        title="Effective access"
        about="What a user, a team or an access key may do, and who may do what with an object. Each line names the grant that permits it."
      />
      <Panel>
        <SegmentedControl
          mb="md"
          aria-label="Question"
          value={isByObject ? 'object' : 'subject'}
          onChange={(value) => change({ ...search, by: value === 'object' ? 'object' : undefined })}
          data={[
            { value: 'subject', label: 'By user or key' },
            { value: 'object', label: 'By object' },
          ]}
        />
        {isByObject ? (
          <ObjectFields search={search} onChange={change} />
        ) : (
          <SubjectFields search={search} onChange={change} />
        )}
      </Panel>
      {question === undefined ? (
        <Text c="dimmed" ta="center" p="lg">
          {isByObject ? 'Choose an object.' : 'Choose a user, a team or an access key.'}
        </Text>
      ) : (
        <EffectiveAccess key={JSON.stringify(question)} subject={question} />
      )}
    </>
  );
}
