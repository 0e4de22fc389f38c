/** The maximum number of findings that Kubernetes reports for a document. */
const maxFindings = 100;

/**
 * The maximum total length of findings that are sorted, because the memory for sorting grows with the length. Longer
 * findings keep their order.
 */
const maxCharacters = 64 * 1024;

const duplicatePrefix = 'duplicate field ';
const unknownPrefix = 'unknown field ';

interface Finding {
  readonly text: string;
  readonly path: string;
  readonly isDuplicate: boolean;
}

/** A node in the tree of the paths of findings. Each node represents a prefix of one or more paths. */
class PathNode {
  readonly next = new Map<string, PathNode>();
  /** The positions of the first two members with the path of this node. */
  readonly positions: number[] = [];
  isUnknownField = false;
}

/**
 * Returns findings of strict decoding in the order in which Kubernetes reports them for a JSON document that is decoded
 * into a struct. The position of an unknown field is its first occurrence; the position of a duplicate field is its
 * second occurrence. An unknown field is reported only once, and nothing inside it is reported. `json` is the valid
 * text of the document.
 */
export function findingsInDocumentOrder(findings: readonly string[], json: string): readonly string[] {
  const parsed = findings.map(parseFinding);
  if (findings.length < 2 || findings.reduce((sum, { length }) => sum + length, 0) > maxCharacters) return findings;
  const root = new PathNode();
  const nodes = parsed.map((finding) => nodeOf(root, finding));
  recordPositions(root, json);
  return parsed
    .map((finding, index) => ({ ...finding, at: positionOf(finding, nodes[index]) }))
    .filter(({ path, isDuplicate }) => !isDuplicate || !isInUnknownField(root, path))
    .sort((one, other) => one.at - other.at)
    .slice(0, maxFindings)
    .map(({ text }) => text);
}

function parseFinding(text: string): Finding {
  const isDuplicate = text.startsWith(duplicatePrefix);
  const quoted = text.slice(isDuplicate ? duplicatePrefix.length : unknownPrefix.length);
  return { text, isDuplicate, path: quoted.startsWith('"') ? (JSON.parse(quoted) as string) : '' };
}

function nodeOf(root: PathNode, { path, isDuplicate }: Finding): PathNode {
  let node = root;
  for (const character of path) {
    const next = node.next.get(character) ?? new PathNode();
    node.next.set(character, next);
    node = next;
  }
  if (!isDuplicate) node.isUnknownField = true;
  return node;
}

function positionOf({ isDuplicate }: Finding, node: PathNode | undefined): number {
  return node?.positions[isDuplicate ? 1 : 0] ?? Number.MAX_SAFE_INTEGER;
}

/** True if the path is that of an unknown field or of a member below an unknown field. */
function isInUnknownField(root: PathNode, path: string): boolean {
  let node: PathNode | undefined = root;
  let length = 0;
  for (const character of path) {
    const isBoundary = character === '.' || character === '[';
    if (isBoundary && length > 0 && node?.isUnknownField) return true;
    node = node?.next.get(character);
    length++;
  }
  return node?.isUnknownField === true;
}

function step(node: PathNode | undefined, text: string): PathNode | undefined {
  let reached = node;
  for (const character of text) {
    if (reached === undefined) return undefined;
    reached = reached.next.get(character);
  }
  return reached;
}

interface Container {
  readonly node: PathNode | undefined;
  readonly isArray: boolean;
  index: number;
}

/** Scans the text once and records the positions of the members for which the tree has nodes. */
function recordPositions(root: PathNode, json: string): void {
  const stack: Container[] = [];
  // The node for the next value; `undefined` if the tree does not contain its path.
  let node: PathNode | undefined = root;
  let expectsKey = false;
  for (let at = 0; at < json.length; at++) {
    const container = stack.at(-1);
    switch (json[at]) {
      case '"': {
        const end = endOfString(json, at);
        if (expectsKey && container !== undefined) {
          const key = JSON.parse(json.slice(at, end + 1)) as string;
          node = step(container.node, stack.length === 1 ? key : `.${key}`);
          if (node !== undefined && node.positions.length < 2) node.positions.push(at);
        }
        at = end;
        break;
      }
      case '{':
        stack.push({ node, isArray: false, index: 0 });
        expectsKey = true;
        break;
      case '[':
        stack.push({ node, isArray: true, index: 0 });
        node = step(node, '[0]');
        expectsKey = false;
        break;
      case ':':
        expectsKey = false;
        break;
      case ',':
        expectsKey = container?.isArray === false;
        if (container?.isArray) node = step(container.node, `[${++container.index}]`);
        break;
      case '}':
      case ']':
        stack.pop();
        break;
    }
  }
}

/** Returns the position of the closing quote of the string that starts at `start`. */
function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === 0x22) return at;
    if (code === 0x5c) at++;
  }
  return json.length;
}
