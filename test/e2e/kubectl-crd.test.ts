import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubectlMissing } from '../harness/kubectl.ts';
import { type ClusterClient, type LocalCluster, startLocalCluster } from '../harness/local-cluster.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ships.sea.example.com }
spec:
  group: sea.example.com
  scope: Namespaced
  names: { plural: ships, kind: Ship, shortNames: [sh], categories: [all] }
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: { specReplicasPath: .spec.masts, statusReplicasPath: .status.masts, labelSelectorPath: .status.selector }
    selectableFields: [{ jsonPath: .spec.name }]
    additionalPrinterColumns:
    - { name: Called, type: string, jsonPath: .spec.name }
    - { name: Masts, type: integer, jsonPath: .spec.masts }
    - { name: Captain, type: string, priority: 1, jsonPath: '.spec.crew[?(@.rank=="captain")].name' }
    schema:
      openAPIV3Schema:
        type: object
        description: A vessel with masts.
        properties:
          spec:
            type: object
            description: What the ship should be.
            required: [name]
            x-kubernetes-validations:
            - { rule: 'self.masts < 10', message: no ship has so many masts }
            properties:
              name: { type: string, description: What it is called. }
              masts: { type: integer, default: 2, minimum: 0 }
              crew:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties: { name: { type: string }, rank: { type: string, default: sailor } }
          status:
            type: object
            properties: { masts: { type: integer }, selector: { type: string } }
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { name: { type: string } } } } } }
`;

const ship = `
apiVersion: sea.example.com/v1
kind: Ship
metadata: { name: black-pearl, namespace: default }
spec: { name: Pearl, crew: [{ name: jack, rank: captain }] }
`;

describeIfAvailable(kubectlMissing, 'custom resource definitions, with kubectl', () => {
  let local: LocalCluster;
  let virtual: ClusterClient;

  beforeAll(async () => {
    local = await startLocalCluster();
    virtual = await local.virtualCluster('custom');
  });
  afterAll(() => local.remove());

  it('are applied together with their objects, also server-side', async () => {
    const { kubectl } = virtual;
    const input = `${definition}\n---\n${ship}`;
    // The first apply fails for the custom object: kubectl reads discovery before it sends anything, and the new kind
    // is not yet in discovery.
    await kubectl.run(['apply', '-f', '-'], { input });
    expect(await kubectl.ok(['apply', '-f', '-'], { input })).toContain('ship.sea.example.com/black-pearl');
    const again = await kubectl.ok(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input });
    expect(again).toContain('ship.sea.example.com/black-pearl serverside-applied');
    await kubectl.ok(['wait', '--for=condition=Established', 'crd/ships.sea.example.com', '--timeout=10s']);
    expect(await kubectl.ok(['get', 'crd'])).toMatch(/^NAME +CREATED AT\nships\.sea\.example\.com +20\d\d-/);
  });

  it('define the names, columns, categories and field selectors of their kind', async () => {
    const { kubectl } = virtual;
    expect(await kubectl.ok(['api-resources', '--api-group=sea.example.com'])).toMatch(
      /ships +sh +sea\.example\.com\/v1 +true +Ship/,
    );
    expect(await kubectl.ok(['get', 'sh'])).toMatch(/^NAME +CALLED +MASTS\nblack-pearl +Pearl +2\n$/);
    expect(await kubectl.ok(['get', 'ship', '-o', 'wide'])).toMatch(/CAPTAIN\nblack-pearl +Pearl +2 +jack\n$/);
    expect(await kubectl.ok(['get', 'all'])).toMatch(/black-pearl +Pearl/);
    expect(await kubectl.ok(['get', 'ships', '--field-selector', 'spec.name=Pearl', '-o', 'name'])).toContain('black');
    const none = await kubectl.run(['get', 'ships', '--field-selector', 'spec.name=Other']);
    expect(none.stderr).toContain('No resources found');
    expect(await kubectl.ok(['describe', 'ship', 'black-pearl'])).toMatch(/Masts: +2/);
  });

  it('are explained, also in their other versions', async () => {
    const { kubectl } = virtual;
    const explained = await kubectl.ok(['explain', 'ship.spec']);
    expect(explained).toContain('What the ship should be.');
    expect(explained).toMatch(/name\t<string> -required-/);
    expect(await kubectl.ok(['explain', 'ships.spec.crew', '--recursive'])).toContain('rank');
    // The Kubernetes conformance tests expect these descriptions (OAPI-13).
    expect(await kubectl.ok(['explain', 'ships'])).toMatch(/apiVersion.*<string>\s*APIVersion defines/s);
    expect(await kubectl.ok(['explain', 'ships.metadata'])).toMatch(
      /Standard object's metadata.*creationTimestamp.*<string>\s*CreationTimestamp is a timestamp/s,
    );
    expect(await kubectl.ok(['explain', 'ships', '--api-version=sea.example.com/v1beta1'])).toContain('v1beta1');
    expect(await kubectl.ok(['explain', 'crd.spec.versions'])).toContain('additionalPrinterColumns');
  });

  it('enforce their schemas and rules with clear messages', async () => {
    const { kubectl } = virtual;
    const bad = (spec: string) => ship.replace(/spec: .*/, `spec: ${spec}`).replace('black-pearl', 'bad');
    const apply = async (spec: string) => (await kubectl.run(['create', '-f', '-'], { input: bad(spec) })).stderr;
    expect(await apply('{ name: 5 }')).toContain('spec.name in body must be of type string: "integer"');
    expect(await apply('{ masts: 1 }')).toContain('spec.name: Required value');
    expect(await apply('{ name: x, masts: 12 }')).toContain('no ship has so many masts');
    expect(await apply('{ name: x, sails: 4 }')).toContain('unknown field "spec.sails"');
    const wrong = definition.replace('type: integer, default: 2', 'type: integer, default: two');
    const refused = await kubectl.run(['apply', '-f', '-'], { input: wrong });
    expect(refused.stderr).toContain('default: Invalid value: "string"');
    const webhook = definition.replace('scope: Namespaced', 'scope: Namespaced\n  conversion: { strategy: Webhook }');
    const result = await kubectl.run(['apply', '-f', '-'], { input: webhook });
    expect(result.stderr).toContain('spec.conversion.strategy: Unsupported value: "Webhook": supported values: "None"');
  });

  it('make their objects scalable, and give them a status subresource', async () => {
    const { kubectl } = virtual;
    expect(await kubectl.ok(['scale', 'ship', 'black-pearl', '--replicas=5'])).toContain('scaled');
    expect(await kubectl.ok(['get', 'ship', 'black-pearl', '-o', 'jsonpath={.spec.masts}'])).toBe('5');
    const patch = ['patch', 'ship', 'black-pearl', '--type=merge', '-p', '{"status":{"masts":5},"spec":{"name":"No"}}'];
    await kubectl.ok([...patch, '--subresource=status']);
    const shown = await kubectl.ok(['get', 'ship', 'black-pearl', '-o', 'jsonpath={.spec.name} {.status.masts}']);
    expect(shown).toBe('Pearl 5');
    expect(await kubectl.ok(['get', 'ship', 'black-pearl', '--subresource=scale', '-o', 'name'])).toContain('scale');
  });

  it('serve several versions, one of which warns', async () => {
    const { kubectl } = virtual;
    const old = await kubectl.run(['get', 'ships.v1beta1.sea.example.com', 'black-pearl', '-o', 'yaml']);
    expect(old.stdout).toContain('apiVersion: sea.example.com/v1beta1');
    expect(old.stdout).not.toContain('crew:');
    expect(old.stderr).toContain('Warning: sea.example.com/v1beta1 Ship is deprecated; use sea.example.com/v1 Ship');
  });

  it('are changed while they are watched, and serve on after a restart of the server', async () => {
    const watch = virtual.kubectl.follow(['get', 'ships', '-w']);
    await watch.waitForOutput(/black-pearl/);
    const input = definition.replace('default: 2', 'default: 3');
    await virtual.kubectl.ok(['apply', '-f', '-'], { input });
    await virtual.kubectl.ok(['create', '-f', '-'], { input: ship.replace('black-pearl', 'dutchman') });
    await watch.waitForOutput(/dutchman +Pearl +3/);
    await watch.stop();
    local = await local.restart();
    virtual = local.existingVirtualCluster('custom');
    expect(await virtual.kubectl.ok(['get', 'sh', '-o', 'name'])).toBe(
      'ship.sea.example.com/black-pearl\nship.sea.example.com/dutchman\n',
    );
  });

  it('are deleted with their objects, which may take time, and can be created again', async () => {
    const { kubectl } = virtual;
    const finalizers = (value: string) => ['--type=merge', '-p', `{"metadata":{"finalizers":${value}}}`];
    await kubectl.ok(['patch', 'ship', 'dutchman', ...finalizers('["sea.example.com/curse"]')]);
    await kubectl.ok(['delete', 'crd', 'ships.sea.example.com', '--wait=false']);
    await kubectl.ok(['wait', 'ship/black-pearl', '--for=delete', '--timeout=10s']);
    await kubectl.ok(['wait', 'crd/ships.sea.example.com', '--for=condition=Terminating', '--timeout=10s']);
    const late = await kubectl.run(['create', '-f', '-'], { input: ship });
    expect(late.stderr).toContain('create not allowed while custom resource definition is terminating');
    await kubectl.ok(['patch', 'ship', 'dutchman', ...finalizers('null')]);
    await kubectl.ok(['wait', 'crd/ships.sea.example.com', '--for=delete', '--timeout=10s']);
    expect((await kubectl.run(['get', 'ships'])).code).not.toBe(0);
    await kubectl.ok(['create', '-f', '-'], { input: definition });
    expect((await kubectl.run(['get', 'ships'])).stderr).toContain('No resources found');
  });
});
