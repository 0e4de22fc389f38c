/** The cluster role that users get through sharing if the template sets no default role. */
const usualShareRole = 'edit';

/**
 * Returns the cluster role that the console and the CLI give to users with whom an instance is shared, if no role was
 * chosen. `defaultRole` is the default role of the template. `widestRole` is the role that applies without a template.
 * If the two roles are equal, returns `edit`, because the widest role, such as cluster-admin, is given only if somebody
 * chooses it.
 */
export function shareRole(defaultRole: string, widestRole: string): string {
  return defaultRole === widestRole ? usualShareRole : defaultRole;
}
