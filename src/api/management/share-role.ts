/** The cluster role that sharing gives if the template sets no default role. */
const usualShareRole = 'edit';

/**
 * Returns the cluster role that the console and the CLI give to users with whom an instance is shared, if no role was chosen:
 * `defaultRole`, the default role of the template, or `edit` if that is `widestRole`, the one that applies without a template.
 * The widest role, such as cluster-admin, is given only if somebody chooses it.
 */
export function shareRole(defaultRole: string, widestRole: string): string {
  return defaultRole === widestRole ? usualShareRole : defaultRole;
}
