const component = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const domain = /^(?:[\w-]+(?:\.[\w-]+)*|\[[0-9a-fA-F:]+\])(?::[0-9]+)?$/;

/**
 * Returns the tag of an image reference: `latest` if it has neither a tag nor a digest, '' if it has only a digest or
 * is invalid.
 */
export function imageTag(image: string): string {
  const [name = '', digest] = image.split('@');
  const [, repository = name, tag] = /^(.+):([\w][\w.-]{0,127})$/.exec(name) ?? [];
  if (!isRepository(repository)) return '';
  return tag ?? (digest === undefined ? 'latest' : '');
}

/** True for a path of lower-case components, which may follow the domain of a registry. */
function isRepository(text: string): boolean {
  const [first = '', ...rest] = text.split('/');
  const hasDomain = rest.length > 0 && (/[.:A-Z]/.test(first) || first === 'localhost');
  const path = hasDomain ? rest : [first, ...rest];
  return (!hasDomain || domain.test(first)) && path.every((part) => component.test(part));
}
