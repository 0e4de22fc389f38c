import { SimpleGrid } from '@mantine/core';
import { NameSelect } from '../../components/form/name-select.tsx';
import { PrincipalPicker } from '../../components/form/principal-picker.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { usePermission } from '../../data/permissions.ts';
import { parsePrincipalKey, principalKey } from '../../data/principals.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import type { AccessSearch } from './access-search.ts';

export interface AccessFieldsProps {
  readonly search: AccessSearch;
  onChange(next: AccessSearch): void;
}

const keyPrefix = 'AccessKey/';

/** The fields that select a user, team or access key, and the project to which the list is limited. */
export function SubjectFields({ search, onChange }: AccessFieldsProps) {
  const mayListKeys = usePermission({ verb: 'list', kind: kinds.accessKey }).allowed;
  const keys = useRows({ kind: mayListKeys ? kinds.accessKey : kinds.ownedKey });
  const projects = useRows({ kind: kinds.project });
  const { subject = '', project } = search;
  const isKey = subject.startsWith(keyPrefix);
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      <PrincipalPicker
        label="User or team"
        value={subject === '' || isKey ? undefined : parsePrincipalKey(subject)}
        onChange={(next) => onChange({ ...search, subject: next === undefined ? undefined : principalKey(next) })}
      />
      <NameSelect
        label="Access key"
        rows={keys}
        value={isKey ? subject.slice(keyPrefix.length) : undefined}
        onChange={(name) => onChange({ ...search, subject: name === undefined ? undefined : `${keyPrefix}${name}` })}
      />
      <NameSelect
        label="Limit to project"
        rows={projects}
        value={project}
        onChange={(name) => onChange({ ...search, project: name })}
      />
    </SimpleGrid>
  );
}
