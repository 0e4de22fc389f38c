import { labelValueFaults, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { boundedErrors } from '../bounded-errors.ts';
import { describeFieldError, type FieldError, invalid } from '../field-error.ts';
import { badRequest } from '../status.ts';
import {
  compileLabelRequirements,
  type LabelOperator,
  type LabelRequirement,
  parseInt64,
} from './label-requirements.ts';
import { LabelTokens, SelectorSyntaxError } from './label-tokens.ts';

/** A parsed label selector (rules SEL-01 to SEL-06). */
export interface LabelSelector {
  /** True if the selector matches all objects. */
  readonly empty: boolean;
  /** The text from which the selector was parsed. Selectors with equal texts match the same objects. */
  readonly text?: string;
  matches(labels: Readonly<Record<string, string>> | undefined): boolean;
}

/** Parses a label selector. Throws 400 if the syntax is invalid. */
export function parseLabelSelector(text: string): LabelSelector {
  try {
    return selectorOf(parseRequirements(new LabelTokens(text)), text);
  } catch (error) {
    if (error instanceof SelectorSyntaxError) throw badRequest(error.message);
    throw error;
  }
}

function selectorOf(requirements: readonly LabelRequirement[], text: string): LabelSelector {
  const test = compileLabelRequirements(requirements);
  return { empty: requirements.length === 0, text, matches: (labels = {}) => test(labels) };
}

function parseRequirements(tokens: LabelTokens): LabelRequirement[] {
  const requirements: LabelRequirement[] = [];
  for (;;) {
    const next = tokens.peekWord();
    if (next.type === 'end') return requirements;
    if (next.type !== 'word' && next.type !== '!') {
      throw new SelectorSyntaxError(`found '${next.text}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(inRequirement(() => parseRequirement(tokens)));
    const after = tokens.takeWord();
    if (after.type === 'end') return requirements;
    if (after.type !== ',') throw new SelectorSyntaxError(`found '${after.text}', expected: ',' or 'end of string'`);
    const following = tokens.peekWord();
    if (following.type !== 'word' && following.type !== '!') {
      throw new SelectorSyntaxError(`found '${following.text}', expected: identifier after ','`);
    }
  }
}

function inRequirement<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof SelectorSyntaxError)) throw error;
    throw new SelectorSyntaxError(`unable to parse requirement: ${error.message}`);
  }
}

function parseRequirement(tokens: LabelTokens): LabelRequirement {
  let token = tokens.takeWord();
  const negated = token.type === '!';
  if (negated) token = tokens.takeWord();
  if (token.type !== 'word') throw new SelectorSyntaxError(`found '${token.text}', expected: identifier`);
  const key = token.text;
  const keyFaults = qualifiedNameFaults(key);
  if (keyFaults.length > 0) refuse([invalid('', key, keyFaults.join('; '))]);

  const next = tokens.peekWord().type;
  // A negated requirement such as `!a` ends after the key. Therefore `!a = b` causes an error about a missing comma, as
  // in Kubernetes.
  if (negated) return { key, operator: 'absent', values: [] };
  if (next === 'end' || next === ',') return { key, operator: 'exists', values: [] };

  const operator = tokens.takeOperator();
  const values = operator === 'in' || operator === 'notin' ? tokens.takeList() : [tokens.takeValue()];
  refuse(valueErrors(key, operator, values));
  return { key, operator: meaning[operator] ?? 'in', values };
}

const meaning: Readonly<Record<string, LabelOperator>> = {
  in: 'in',
  '=': 'in',
  '==': 'in',
  notin: 'notin',
  '!=': 'notin',
  '>': 'greater',
  '<': 'less',
};

function* valueErrors(key: string, operator: string, values: readonly string[]): Generator<FieldError> {
  if (operator === '>' || operator === '<') {
    for (const [index, value] of values.entries()) {
      if (parseInt64(value) !== undefined) continue;
      yield invalid(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer");
    }
  }
  for (const [index, value] of values.entries()) {
    const faults = labelValueFaults(value);
    if (faults.length > 0) yield invalid(`values[${index}][${key}]`, value, faults.join('; '));
  }
}

function refuse(found: Iterable<FieldError>): void {
  const errors = boundedErrors(found);
  if (errors.length === 0) return;
  const lines = errors.map(describeFieldError);
  throw new SelectorSyntaxError(lines.length === 1 ? (lines[0] ?? '') : `[${lines.join(', ')}]`);
}
