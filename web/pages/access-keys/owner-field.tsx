import { NativeSelect } from '@mantine/core';
import { PrincipalPicker } from '../../components/form/principal-picker.tsx';
import { type Principal, parsePrincipalKey, principalKey } from '../../data/principals.ts';
import { useSelf } from '../../data/session/use-self.ts';
import { selfPrincipal } from './self-principal.ts';

export interface OwnerFieldProps {
  readonly value: Principal | undefined;
  onChange(value: Principal | undefined): void;
  readonly error: string | undefined;
}

const about = 'The key acts as this user or team.';

/**
 * A form field that selects the owner of an access key: the caller or one of the caller's teams. Administrators can
 * select any user or team.
 */
export function OwnerField({ value, onChange, error }: OwnerFieldProps) {
  const { self, isAdmin } = useSelf();
  const own = selfPrincipal(self);
  if (isAdmin) {
    return (
      <PrincipalPicker
        label="Owner"
        description={about}
        value={value ?? own}
        onChange={onChange}
        error={error}
        required
      />
    );
  }
  const teams = self?.user?.teams ?? [];
  // If the caller is in no team, only the caller can own the key, so there is nothing to choose.
  if (own === undefined || teams.length === 0) return null;
  return (
    <NativeSelect
      label="Owner"
      description={about}
      error={error}
      value={principalKey(value ?? own)}
      data={[
        { value: principalKey(own), label: `You (${own.name})` },
        ...teams.map(({ name, displayName = name }) => ({
          value: principalKey({ kind: 'Team', name }),
          label: `Team ${displayName}`,
        })),
      ]}
      onChange={(event) => onChange(parsePrincipalKey(event.currentTarget.value))}
    />
  );
}
