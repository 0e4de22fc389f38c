import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import { flagAt, objectAt, textAt } from '../../src/lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../src/lib/json-value.ts';
import { type Ask, askedText } from './ask.ts';
import { eachOf, type Received } from './caller.ts';
import { rowOfPath } from './endpoints.ts';
import { expected, table } from './oracle/oracle.ts';
import type { Row } from './oracle/row.ts';
import { covered, type Persona } from './personas.ts';
import { asksOf, requestOf } from './requests.ts';
import type { Stage } from './stage.ts';

/** One question to one persona. */
interface Cell {
  readonly persona: Persona;
  readonly row: Row;
  readonly ask: Ask;
  readonly expected: boolean;
}

export interface Outcome {
  /** Answers that were held against the oracle. */
  readonly compared: number;
  /** What differs, a sentence each. */
  readonly differences: readonly string[];
}

export interface AskOptions {
  /** Those that the server lists at its root. */
  readonly paths: readonly string[];
  /** Ask by reviews too, not by requests alone. */
  readonly reviews: boolean;
}

/** Every row for every persona. Rows with a star stand for some of the paths. */
function cellsOf(personas: readonly Persona[], paths: readonly string[]): Cell[] {
  const questions = [
    ...table
      .filter(({ place }) => place !== 'path')
      .flatMap((row) => asksOf(row).map((ask, nth) => ({ row, ask, nth }))),
    ...paths.flatMap((path) => {
      const row = rowOfPath(path, table);
      return row === undefined ? [] : asksOf({ ...row, resource: path }).map((ask) => ({ row, ask, nth: 0 }));
    }),
  ];
  return personas.flatMap((persona) =>
    questions
      .filter(({ row, nth }) => persona.scopes.length === 0 || (row.only !== 'review' && (nth < 2 || canBeScoped(row))))
      .map(({ row, ask }) => ({ persona, row, ask, expected: expected(persona, row, ask) })),
  );
}

/** Kinds that a scope can tell one object of from another; of the others a scoped key is asked about two. */
function canBeScoped({ resource }: Row): boolean {
  return ['virtualclusterinstances', 'projects', 'clusters'].includes(resource);
}

/** Asks all of it: by request, by a review of the persona's own, and by a review of the administrator's about them. */
export async function askAll(stage: Stage, personas: readonly Persona[], options: AskOptions): Promise<Outcome> {
  const { paths, reviews } = options;
  const keys = await stage.keys(personas);
  const pictures = await stage.pictures();
  const differences: string[] = [];
  let compared = 0;

  const compare = (cell: Cell, allowed: boolean | undefined, by: string, answer: Received) => {
    compared++;
    if (allowed === cell.expected) return;
    const change = cell.row.change === undefined ? '' : ` (changing ${cell.row.change})`;
    const wanted = cell.expected ? 'may' : 'may not';
    differences.push(`${cell.persona.name} ${wanted} ${askedText(cell.ask)}${change}; by ${by}: ${told(answer)}`);
  };

  const users = new Map<Persona, JsonObject>();
  for (const persona of personas.filter(({ scopes }) => scopes.length === 0)) {
    users.set(persona, await whoIs(stage, keys.get(persona) ?? ''));
  }

  await eachOf([...cellsOf(personas, paths).entries()], async ([index, cell]) => {
    const { persona, row, ask } = cell;
    const token = keys.get(persona) ?? '';
    if (row.only !== 'review') {
      const answer = await stage.caller.send(token, requestOf(row, ask, pictures));
      compare(cell, requestAllowed(ask, answer), 'request', answer);
    }
    if (row.only === 'request' || !reviews) return;
    // The two reviews come to the same function: each is asked half of it.
    const user = users.get(persona);
    if (user !== undefined && index % 2 === 0) {
      const answer = await review(stage, 'subjectaccessreviews', stage.adminKey, { ...attributesOf(ask), ...user });
      compare(cell, reviewAllowed(answer), 'review', answer);
    } else if (covered(persona, ownReview)) {
      const answer = await review(stage, 'selfsubjectaccessreviews', token, attributesOf(ask));
      compare(cell, reviewAllowed(answer), 'own review', answer);
    }
  });
  return { compared, differences: differences.sort() };
}

const ownReview: Ask = {
  verb: 'create',
  group: 'authorization.k8s.io',
  resource: 'selfsubjectaccessreviews',
  subresource: '',
  project: '',
  name: '',
  path: '',
};

/** Refusals are 403, and 404 where existence itself is private. undefined: neither, which is never right. */
function requestAllowed(ask: Ask, { code }: Received): boolean | undefined {
  if (code === 403) return false;
  if (code === 404 && ask.resource === 'ownedaccesskeys') return false;
  return code === 401 || code === 429 || (code >= 500 && code !== 501) ? undefined : true;
}

function reviewAllowed({ code, text }: Received): boolean | undefined {
  return code === 201 ? flagAt(JSON.parse(text) as JsonValue, 'status', 'allowed') : undefined;
}

function told({ code, text }: Received): string {
  if (!text.startsWith('{')) return `${code} ${text.slice(0, 100)}`;
  const answer = JSON.parse(text) as JsonValue;
  return `${code} ${textAt(answer, 'message') || textAt(answer, 'status', 'reason') || textAt(answer, 'kind')}`;
}

function attributesOf({ verb, group, resource, subresource, project, name, path }: Ask): JsonObject {
  if (path !== '') return { nonResourceAttributes: { verb, path } };
  const namespace = project === '' ? '' : projectNamespace(project);
  const object = resource === 'namespaces' && name !== '' ? projectNamespace(name) : name;
  return { resourceAttributes: { verb, group, version: 'v1', resource, subresource, namespace, name: object } };
}

async function review(stage: Stage, plural: string, token: string, spec: JsonObject): Promise<Received> {
  const path = `/kubernetes/management/apis/${plural.startsWith('self') ? 'authorization.k8s.io' : managementGroup}/v1/${plural}`;
  return await stage.caller.send(token, { method: 'POST', path, body: { spec } });
}

/** Who the key is, as the server sees it: what a review about somebody must be told. */
async function whoIs(stage: Stage, token: string): Promise<JsonObject> {
  const path = '/kubernetes/management/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const { text } = await stage.caller.send(token, { method: 'POST', path, body: {} });
  const info = objectAt(JSON.parse(text) as JsonValue, 'status', 'userInfo') ?? {};
  return { user: info.username ?? '', groups: info.groups ?? [] };
}
