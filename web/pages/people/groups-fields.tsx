import { Switch, TagsInput } from '@mantine/core';
import { adminsGroup } from '../../../src/api/naming.ts';
import { withAdmin } from './user-spec.ts';

export interface GroupsFieldsProps {
  readonly value: readonly string[];
  onChange(groups: readonly string[]): void;
  readonly error: string | undefined;
  /** "The user may do everything here." */
  readonly adminText: string;
}

/** Groups, and among them the one that makes an administrator. */
export function GroupsFields({ value, onChange, error, adminText }: GroupsFieldsProps) {
  const isAdmin = value.includes(adminsGroup);
  return (
    <>
      <Switch
        label="Administrator"
        description={adminText}
        checked={isAdmin}
        onChange={(event) => onChange(withAdmin(value, event.currentTarget.checked))}
      />
      <TagsInput
        label="Groups"
        description="As clusters see them, for their own roles. Type one and press Enter."
        value={value.filter((group) => group !== adminsGroup)}
        onChange={(groups) => onChange(withAdmin(groups, isAdmin))}
        error={error}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear the groups' }}
      />
    </>
  );
}
