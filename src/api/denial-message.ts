/** The attributes of a denied request that its error message names. */
type DeniedRequest =
  | {
      readonly resourceRequest: true;
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
    }
  | { readonly resourceRequest: false; readonly verb: string; readonly path: string };

/** Returns the error message for a denied request (rules ERR-10 to ERR-12). */
export function denialMessage(user: string, denied: DeniedRequest, reason = ''): string {
  const text = escapeMarkup(`User ${JSON.stringify(user)} cannot ${denied.verb} ${objectOf(denied)}`);
  return reason === '' ? text : `${text}: ${reason}`;
}

/** Escapes HTML characters in client input that becomes part of an error message (rule ERR-12). */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function objectOf(denied: DeniedRequest): string {
  if (!denied.resourceRequest) return `path ${JSON.stringify(denied.path)}`;
  const { resource, subresource, group, namespace } = denied;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
}
