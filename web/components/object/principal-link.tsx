import { Link } from '@tanstack/react-router';
import { type Principal, principalKey } from '../../data/principals.ts';
import { usePrincipals } from '../../data/use-principals.ts';

/** The display name of a user or team, as a link to its page. */
export function PrincipalLink({ principal }: { readonly principal: Principal }) {
  const { byKey } = usePrincipals();
  const { kind, name } = principal;
  const known = byKey.get(principalKey(principal));
  const text = known?.displayName || name;
  // The caller may not see this principal, so the name is not a link.
  if (known === undefined) return <span>{text}</span>;
  return kind === 'User' ? (
    <Link to="/users/$user" params={{ user: name }}>
      {text}
    </Link>
  ) : (
    <Link to="/teams/$team" params={{ team: name }}>
      {text}
    </Link>
  );
}
