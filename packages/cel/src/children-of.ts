import type { Expression } from './expression.ts';

/** Returns the direct subexpressions of an expression. */
export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'constant':
    case 'identifier':
      return [];
    case 'select':
      return [expression.operand];
    case 'call':
      return expression.target === undefined ? expression.args : [expression.target, ...expression.args];
    case 'list':
      return expression.elements;
    case 'map':
      return expression.entries.flat();
    case 'message':
      return expression.fields.map(({ value }) => value);
    case 'comprehension': {
      const { range, initial, condition, step, result } = expression;
      return [range, initial, condition, step, result];
    }
  }
}
