import { parseSync, Visitor } from 'vite';

/**
 * Returns all functions of a TypeScript or JavaScript source. Each has a name, its first line and the number of its
 * lines that contain code. The lines of a nested function also count for the enclosing function.
 */
export function functionsOf(path, text) {
  const { program, comments } = parseSync(path, text);
  const isCode = codeLines(text, comments);
  const lineAt = lineFinder(text);
  const functions = [];
  const names = new Map();

  function measure(node) {
    const [first, last] = [lineAt(node.start), lineAt(node.end)];
    const lines = isCode.slice(first, last + 1).filter(Boolean).length;
    functions.push({ name: node.id?.name ?? names.get(node) ?? 'an anonymous function', line: first + 1, lines });
  }

  new Visitor({
    VariableDeclarator: (node) => names.set(node.init, node.id.name),
    Property: (node) => names.set(node.value, node.key.name),
    PropertyDefinition: (node) => names.set(node.value, node.key.name),
    MethodDefinition: (node) => names.set(node.value, node.key.name),
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  }).visit(program);
  return functions;
}

/** Returns for each line whether it contains more than comments and white space. */
function codeLines(text, comments) {
  let code = '';
  let end = 0;
  for (const comment of comments) {
    code += text.slice(end, comment.start) + text.slice(comment.start, comment.end).replace(/[^\n]/g, ' ');
    end = comment.end;
  }
  return (code + text.slice(end)).split('\n').map((line) => line.trim() !== '');
}

/** Returns a function that finds the line of an offset. The first line is 0. */
function lineFinder(text) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };
}
