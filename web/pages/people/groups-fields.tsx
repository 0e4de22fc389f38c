import { Switch, TagsInput } from '@mantine/core';
import { adminsGroup, auditorsGroup } from '../../../src/api/naming.ts';
import { roleGroups, withGroup } from './user-spec.ts';

export interface GroupsFieldsProps {
  readonly value: readonly string[];
  onChange(groups: readonly string[]): void;
  readonly error: string | undefined;
  /** Texts that explain the effects of the switches. */
  readonly adminText: string;
  readonly auditorText: string;
}

/** Form fields that edit the groups of a user or team, with a switch for each role. */
export function GroupsFields({ value, onChange, error, adminText, auditorText }: GroupsFieldsProps) {
  return (
    <>
      <Switch
        label="Administrator"
        description={adminText}
        checked={value.includes(adminsGroup)}
        onChange={(event) => onChange(withGroup(value, adminsGroup, event.currentTarget.checked))}
      />
      <Switch
        label="Auditor"
        description={auditorText}
        checked={value.includes(auditorsGroup)}
        onChange={(event) => onChange(withGroup(value, auditorsGroup, event.currentTarget.checked))}
      />
      <TagsInput
        label="Groups"
        description="Role bindings in clusters can refer to these groups. Type a name and press Enter."
        value={value.filter((group) => !roleGroups.includes(group))}
        onChange={(groups) => onChange([...groups, ...roleGroups.filter((group) => value.includes(group))])}
        error={error}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear groups' }}
      />
    </>
  );
}
