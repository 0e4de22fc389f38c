import { eventually } from '../eventually.ts';
import { type Attack, numbered, repeat } from './attack.ts';
import type { Response, Tenant } from './tenant.ts';

const doubledList = '{{ $a := list "x" }}{{ range 23 }}{{ $a = list $a $a }}{{ end }}{{ toYaml $a | len }}';
/** A text `$s` of 1 MB. */
const longText = '{{ $s := "aaaaaaaaaaaaaaaa" }}{{ range 16 }}{{ $s = printf "%s%s" $s $s }}{{ end }}';
/** Builds another text of 1 MB. */
const replacement = '{{ $x := replace "a" "c" $s }}';
const manyReplacements = `${longText}${replacement.repeat(28_000)}`;
const replacementsInLoop = `${longText}{{ range 40000 }}${replacement}{{ end }}`;

/** Ten levels of aliases: 10 to the power of 10 values. */
export const aliasBomb = numbered(10, (level) => {
  const items = level === 0 ? Array(10).fill('x') : Array(10).fill(`*a${level - 1}`);
  return `  a${level}: &a${level} [${items.join(', ')}]`;
}).join('\n');

/** Creates instances with the inline template and waits until the server has refused to render each of them. */
function renderInline(prefix: string, objects: string): Attack['run'] {
  let next = 0;
  return (tenant) => Promise.all(numbered(4, () => renderOne(tenant, `${prefix}-${next++}`, objects)));
}

async function renderOne(tenant: Tenant, name: string, objects: string): Promise<Response> {
  const body = { metadata: { name }, spec: { template: { objects } } };
  const created = await tenant.send({ method: 'POST', path: tenant.instances, body });
  if (created.status !== 201) return created;
  return eventually(
    15,
    () => tenant.send({ method: 'GET', path: `${tenant.instances}/${name}` }),
    ({ text }) => /"phase":"Failed"|are allowed|more than \d+|longer than \d+ seconds/.test(text),
  );
}

/** A template of the administrator whose parameter `x` has a pattern that is expensive to match. */
export const patternTemplate = {
  metadata: { name: 'pattern' },
  spec: { parameters: [{ variable: 'x', validation: '^(a?){900}b$', defaultValue: 'b' }] },
};

export const templateAttacks: readonly Attack[] = [
  {
    name: 'an inline template that doubles a list and prints it',
    run: renderInline('doubled', doubledList),
    expected: [{ status: 200, text: /takes more than \d+ units of work/ }],
    needsMeter: true,
  },
  {
    name: 'an inline template with a loop of 40,000 replacements in 1 MB',
    run: renderInline('loop', replacementsInLoop),
    expected: [{ status: 200, text: /takes more than \d+ units of work/ }],
    needsMeter: true,
  },
  {
    name: 'an inline template of 0.9 MB with 28,000 replacements in 1 MB',
    run: renderInline('replace', manyReplacements),
    expected: [{ status: 422, text: /checking the template takes more than \d+ units of work/ }],
  },
  {
    name: 'an inline template with a YAML alias bomb',
    run: renderInline('alias', `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n${aliasBomb}\n`),
    expected: [{ status: 200 }],
  },
  {
    name: 'inline templates with objects of 0.9 MB of YAML',
    run: renderInline('yaml', numbered(80_000, (number) => `k${number}: v`).join('\n')),
    expected: [{ status: 200, text: /at most 10000 are allowed/ }],
  },
  {
    name: 'inline templates with 20,000 objects',
    run: renderInline('objects', 'kind: A\n---\n'.repeat(20_000)),
    expected: [{ status: 200, text: /reading the objects takes more than \d+ units of work/ }],
  },
  {
    name: 'a parameter of 1 MB for a template with an expensive pattern',
    run: repeat({ times: 8, atOnce: 8 }, ({ instances }, number) => ({
      method: 'POST',
      path: instances,
      body: {
        metadata: { name: `parameter-${number}` },
        spec: { templateRef: { name: patternTemplate.metadata.name }, parameters: `x: ${'a'.repeat(1_000_000)}` },
      },
    })),
    expected: [{ status: 422, text: /at most \d+ characters/ }],
  },
  {
    name: 'a parameter of 60 kB for a template with an expensive pattern',
    run: repeat({ times: 8, atOnce: 8 }, ({ instances }, number) => ({
      method: 'POST',
      path: instances,
      body: {
        metadata: { name: `parameter-${number}` },
        spec: { templateRef: { name: patternTemplate.metadata.name }, parameters: `x: ${'a'.repeat(60_000)}` },
      },
    })),
    expected: [{ status: 422, text: /units of work/ }],
  },
];
