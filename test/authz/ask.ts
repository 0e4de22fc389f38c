/** What is asked for, in the words of the API; `project` stands for the namespace of a project. */
export interface Ask {
  readonly verb: string;
  readonly group: string;
  /** The plural; '' for a path. */
  readonly resource: string;
  readonly subresource: string;
  /** '' outside of projects, and for lists over all of them. */
  readonly project: string;
  /** '' for collections and creates. */
  readonly name: string;
  /** Below the root of the management API, where it is no kind: `/version`. */
  readonly path: string;
}

export function askedText(ask: Ask): string {
  if (ask.path !== '') return `${ask.verb} ${ask.path}`;
  const what = ask.subresource === '' ? ask.resource : `${ask.resource}/${ask.subresource}`;
  const group = ask.group === '' ? '' : `.${ask.group}`;
  return [ask.verb, `${what}${group}`, ask.project === '' ? '' : `in ${ask.project}`, ask.name]
    .filter((part) => part !== '')
    .join(' ');
}
