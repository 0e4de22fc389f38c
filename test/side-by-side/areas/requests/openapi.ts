import { area } from '../../area.ts';
import type { Pair } from '../../pair.ts';
import { group } from '../../workshop-kinds.ts';

const protobuf = (version: string, at: string) =>
  `application/com.github.proto-openapi.spec.${version}${at}v1.0+protobuf`;
const document = `/openapi/v3/apis/${group}/v1`;

/** Compares the published schemas and paths. */
export function openapi(pair: Pair): void {
  area(pair, 'OpenAPI', (compared, gadgets) => {
    compared('the locations and formats of the documents (OAPI-01 to OAPI-04, OAPI-14, OAPI-16)', async () => {
      const texts = ['application/json', '*/*', 'text/plain', 'application/yaml'];
      for (const accept of [...texts, protobuf('v3', '@'), protobuf('v3', '.')]) {
        await gadgets.send({ path: document, headers: { accept } }, { ignoredFields: /^body/ });
        await gadgets.send({ path: '/openapi/v3', headers: { accept } }, { ignoredFields: /^body\.paths/ });
      }
      for (const accept of [...texts, protobuf('v2', '@'), protobuf('v2', '.')]) {
        await gadgets.send({ path: '/openapi/v2', headers: { accept } }, { ignoredFields: /^body/ });
      }
      await gadgets.send({ path: `${document}?hash=abc` }, { ignoredFields: /^body|location/ });
      const nowhere = [
        '/openapi',
        '/openapi/v3/',
        '/openapi/v3/apis/none/v1',
        '/openapi/v3/nope',
        '/openapi/v4',
        '/swagger.json',
      ];
      for (const path of nowhere) await gadgets.send({ path }, { ignoredFields: /^body\.paths/ });
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        for (const path of ['/openapi/v2', '/openapi/v3', document])
          await gadgets.send({ method, path }, { ignoredFields: /etag/ });
      }
    });

    compared('version 3: operations by path (OAPI-05, OAPI-08 to OAPI-11)', async () => {
      const [theirs, ours] = await documents(pair, document);
      comparePaths(pair, theirs, ours);
    });

    compared('version 3: schemas of objects (OAPI-06, OAPI-07, OAPI-12, OAPI-13)', async () => {
      const [theirs, ours] = await documents(pair, document);
      for (const kind of ['Gadget', 'Gizmo']) {
        const name = `test.workshop.v1.${kind}`;
        pair.compareValues(
          `v3 ${name}`,
          at(theirs, 'components', 'schemas', name),
          at(ours, 'components', 'schemas', name),
        );
      }
    });

    compared('version 2: operations by path (OAPI-14)', async () => {
      const [theirs, ours] = await documents(pair, '/openapi/v2');
      comparePaths(pair, theirs, ours);
    });

    compared('version 2: schemas of objects (OAPI-14)', async () => {
      const [theirs, ours] = await documents(pair, '/openapi/v2');
      for (const kind of ['Gadget', 'Gizmo']) {
        const name = `test.workshop.v1.${kind}`;
        pair.compareValues(`v2 ${name}`, at(theirs, 'definitions', name), at(ours, 'definitions', name));
      }
    });
  });
}

type Json = Record<string, unknown>;

/** Compares the parts of each operation that clients use: the action, the kind, the parameters, the patch types. */
function comparePaths(pair: Pair, theirs: Json, ours: Json): void {
  for (const path of membersOf(theirs.paths, ours.paths).filter((one) => one.includes(`${group}/v1/`))) {
    for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
      const what = `${method.toUpperCase()} ${path} in OpenAPI`;
      pair.compareValues(what, operationOf(theirs, path, method), operationOf(ours, path, method));
    }
  }
}

function operationOf(whole: Json, path: string, method: string): unknown {
  const operation = at(whole, 'paths', path, method) as Json | undefined;
  if (operation === undefined) return undefined;
  const parameters = [at(whole, 'paths', path, 'parameters'), operation.parameters].flatMap((list) => {
    return ((list ?? []) as Json[]).map((one) => nameOf(whole, one));
  });
  return {
    action: operation['x-kubernetes-action'],
    kind: operation['x-kubernetes-group-version-kind'],
    parameters: Object.fromEntries([...new Set(parameters)].sort().map((name) => [name, true])),
    patches: method === 'patch' ? patchTypes(operation) : undefined,
  };
}

function patchTypes(operation: Json): string[] {
  const types = operation.consumes as string[] | undefined;
  return types === undefined ? membersOf(at(operation, 'requestBody', 'content')) : [...types].sort();
}

function nameOf(whole: Json, parameter: Json): string {
  const reference = String(parameter.$ref ?? '');
  const found = reference === '' ? parameter : at(whole, 'parameters', reference.slice('#/parameters/'.length));
  const { name, in: where } = found as { name: string; in: string };
  return `${where} ${name}`;
}

export async function documents(pair: Pair, path: string): Promise<[Json, Json]> {
  const [theirs, ours] = pair.sides;
  const read = async (side: typeof theirs) => comparable(JSON.parse((await side.send({ path })).text)) as Json;
  return [await read(theirs), await read(ours)];
}

/**
 * Returns the value without descriptions, which each server words itself, and with sorted members, because their order
 * is irrelevant here.
 */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([name, inner]) => name !== 'description' || typeof inner !== 'string');
  return Object.fromEntries(
    entries.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, inner]) => [name, comparable(inner)]),
  );
}

function membersOf(...objects: readonly unknown[]): string[] {
  return [...new Set(objects.flatMap((object) => Object.keys(object as Json)))].sort();
}

export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) found = (found as Json | undefined)?.[name];
  return found;
}
