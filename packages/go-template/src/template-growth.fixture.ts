import { renderGoTemplate } from './render.ts';
import { TemplateError } from './template-error.ts';
import { createTemplateMeter } from './template-work.ts';

const repeated = (part: string, bytes: number) => part.repeat(Math.ceil(bytes / part.length));

/** Templates of about a given size that repeat one construct. */
export const growingTemplates: readonly (readonly [name: string, templateOf: (bytes: number) => string])[] = [
  ['text', (bytes) => `${repeated('x', bytes)}{{ 1 }}`],
  ['white space that is trimmed', (bytes) => `${repeated(' ', bytes)}x{{- 1 }}`],
  ['actions in lines', (bytes) => repeated('{{1}}\n', bytes)],
  ['variables', (bytes) => Array.from({ length: bytes / 16 }, (_, at) => `{{$a${at}:=1}}{{$a0}}`).join('')],
  ['operands', (bytes) => `{{ list${repeated(' 1', bytes)} }}`],
  ['fields', (bytes) => `{{ ${repeated('.a', bytes)} }}`],
  ['parentheses', (bytes) => `{{ ${repeated('(', bytes)}`],
  ['pipes', (bytes) => `{{ 1${repeated('|not', bytes)} }}`],
  ['a string with escapes', (bytes) => `{{ "${repeated('\\n', bytes)}" }}`],
  ['a character constant that does not end', (bytes) => `{{ '${repeated('\\aaaaaaaaaa', bytes)} }}`],
  ['comments', (bytes) => repeated('{{/* */}}', bytes)],
  ['a comment that does not end', (bytes) => `{{/*${repeated('*/ ', bytes)}`],
  ['branches', (bytes) => `{{ if 0 }}${repeated('{{else if 0}}', bytes)}{{ end }}`],
  ['definitions', (bytes) => Array.from({ length: bytes / 24 }, (_, at) => `{{define "${at}"}}{{end}}`).join('')],
  ['a map', (bytes) => `{{ range (split "," "${repeated('x,', bytes)}") }}{{ end }}`],
  ['a list as YAML', (bytes) => `{{ toYaml (splitList "," "${repeated('x,', bytes)}") | len }}`],
  ['a text as YAML', (bytes) => `{{ toYaml "${repeated('\\n', bytes)}" | len }}`],
  ['a replacement', (bytes) => `{{ replace "a" "b" "${repeated('a', bytes)}" | len }}`],
];

/** Returns the work of rendering a template to its end, or until it is rejected. */
export function templateWork(template: string): number {
  const meter = createTemplateMeter();
  try {
    renderGoTemplate(template, {}, meter);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
  }
  return meter.used;
}
