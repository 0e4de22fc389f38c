import { Link } from '@tanstack/react-router';
import { type Principal, principalKey } from '../data/principals.ts';
import { usePrincipals } from '../data/use-principals.ts';

/** A user or a team by what people call them, and the way to their page. */
export function PrincipalLink({ principal }: { readonly principal: Principal }) {
  const { byKey } = usePrincipals();
  const { kind, name } = principal;
  const known = byKey.get(principalKey(principal));
  const text = known?.displayName || name;
  // Whom one may not see has no page for oneself either.
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
