/**
 * The maximum length of a variable. Each name in a variable is one level of the values, so a long variable would create
 * deeply nested values.
 */
export const maxVariableLength = 1024;

/** The variables of parameters as a tree of names: `net.name` is the node `name` below the node `net`. */
export interface ParameterNode {
  /** The child nodes, by name. Created with the first child, because most nodes have none. */
  children?: Map<string, ParameterNode>;
  /** The index of the first parameter with this variable; `undefined` for a group of parameters. */
  index?: number;
}

/** Creates the tree. Ignores variables that are too long. */
export function parameterTree(variables: readonly string[]): ParameterNode {
  const root: ParameterNode = {};
  for (const [index, variable] of variables.entries()) {
    if (variable.length > maxVariableLength) continue;
    let node = root;
    for (const name of variable.split('.')) {
      node.children ??= new Map();
      const next: ParameterNode = node.children.get(name) ?? {};
      node.children.set(name, next);
      node = next;
    }
    node.index ??= index;
  }
  return root;
}

/**
 * Returns the lowest index of a parameter whose variable is a parent of `variable`, as `net` is of `net.name`;
 * `undefined` if there is none.
 */
export function parentIndex(root: ParameterNode, variable: string): number | undefined {
  let node: ParameterNode | undefined = root;
  let lowest: number | undefined;
  for (const name of variable.split('.').slice(0, -1)) {
    node = node?.children?.get(name);
    const index = node?.index;
    if (index !== undefined && (lowest === undefined || index < lowest)) lowest = index;
  }
  return lowest;
}
