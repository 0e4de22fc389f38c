/** A requested operation in API terms; `project` stands for the namespace of a project. */
export interface RequestedAction {
  readonly verb: string;
  readonly group: string;
  /** The plural; `''` for a path. */
  readonly resource: string;
  readonly subresource: string;
  /** The project; `''` outside of projects, and for lists over all projects. */
  readonly project: string;
  /** The name of the object; `''` for collections and creates. */
  readonly name: string;
  /** A non-resource path below the root of the management API, such as `/version`. */
  readonly path: string;
}

export function describeAction(ask: RequestedAction): string {
  if (ask.path !== '') return `${ask.verb} ${ask.path}`;
  const what = ask.subresource === '' ? ask.resource : `${ask.resource}/${ask.subresource}`;
  const group = ask.group === '' ? '' : `.${ask.group}`;
  return [ask.verb, `${what}${group}`, ask.project === '' ? '' : `in ${ask.project}`, ask.name]
    .filter((part) => part !== '')
    .join(' ');
}
