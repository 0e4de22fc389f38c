import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { describeFieldError, type FieldError } from '../../../../api/field-error.ts';
import type { KubeObject } from '../../../../api/meta.ts';
import { kubernetesDefaults } from '../../defaults/kubernetes-defaults.ts';
import { ipAddressErrors, serviceRangeErrors, serviceRangeUpdateErrors } from './service-range-rules.ts';
import { serviceErrors } from './service-rules.ts';
import { serviceStatusErrors, serviceWarnings } from './service-status-rules.ts';

const addressed = { clusterIP: '10.96.0.5', clusterIPs: ['10.96.0.5'] };
const ports = [{ port: 80 }];

function service(spec: JsonObject, others: JsonObject = {}): KubeObject {
  const object = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: structuredClone(spec), ...others };
  kubernetesDefaults.apply('core.Service', object, 0);
  return object as KubeObject;
}

const described = (errors: readonly FieldError[]) => errors.map(describeFieldError);

describe('the rules of services', () => {
  it.each<[title: string, spec: JsonObject, errors: string[]]>([
    ['accept a service', { ...addressed, ports }, []],
    ['require ports', addressed, ['spec.ports: Required value']],
    ['accept a headless service without ports', { clusterIP: 'None', clusterIPs: ['None'] }, []],
    [
      'require unique names if there are several ports',
      {
        ...addressed,
        ports: [{ port: 1 }, { name: 'a', port: 2 }, { name: 'a', port: 2 }],
      },
      [
        'spec.ports[0].name: Required value',
        'spec.ports[2].name: Duplicate value: "a"',
        'spec.ports[2]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":2,"TargetPort":0,"NodePort":0}',
      ],
    ],
    [
      'forbid fields of load balancers for other types',
      { ...addressed, ports, loadBalancerClass: 'c', allocateLoadBalancerNodePorts: true, healthCheckNodePort: 30_000 },
      [
        "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
        "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
        "spec.healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      ],
    ],
    [
      'forbid cluster IPs of a service of the type ExternalName',
      { ...addressed, type: 'ExternalName' },
      ['spec.clusterIPs: Forbidden: may not be set for ExternalName services', 'spec.externalName: Required value'],
    ],
  ])('%s', (_title, spec, errors) => {
    expect(described(serviceErrors(service(spec)))).toEqual(errors);
  });

  it('forbid changes of the address, the class and the port for health checks', () => {
    const local = { type: 'LoadBalancer', ports, externalTrafficPolicy: 'Local' };
    const old = service({ ...addressed, ...local, healthCheckNodePort: 30_000 });
    const next = service({
      ...local,
      clusterIP: '10.96.0.6',
      clusterIPs: ['10.96.0.6'],
      loadBalancerClass: 'a.b/c',
      healthCheckNodePort: 30_001,
    });
    expect(described(serviceErrors(next, old))).toEqual([
      'spec.clusterIPs[0]: Invalid value: ["10.96.0.6"]: may not change once set',
      'spec.loadBalancerClass: Invalid value: "a.b/c": may not change once set',
      'spec.healthCheckNodePort: Forbidden: field is immutable',
    ]);
  });

  it('accept invalid values that an update does not change', () => {
    const old = service({ ...addressed, ports, type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.1/8'] });
    expect(described(serviceErrors(old))).toHaveLength(1);
    expect(described(serviceErrors(old, old))).toEqual([]);
  });

  it('forbid load balancer ingress for other types, and check its IP modes', () => {
    const status = {
      loadBalancer: {
        ingress: [
          { ip: '10.0.0.1', ipMode: 'x' },
          { hostname: 'h', ipMode: 'VIP' },
        ],
      },
    };
    const balancer = service({ ...addressed, ports, type: 'LoadBalancer' }, { status });
    expect(described(serviceStatusErrors(balancer, balancer))).toEqual([
      'status.loadBalancer.ingress[0].ipMode: Unsupported value: "x": supported values: "Proxy", "VIP"',
      'status.loadBalancer.ingress[1].ipMode: Forbidden: may not be specified when `ip` is not set',
    ]);
    const other = service({ ...addressed, ports }, { status });
    expect(described(serviceStatusErrors(other, other))).toEqual([
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ]);
  });

  it('warn about fields that are ignored', () => {
    const headless = service({ clusterIP: 'None', clusterIPs: ['None'], externalIPs: ['10.0.0.1'], externalName: 'x' });
    expect(serviceWarnings(headless)).toEqual([
      'spec.externalIPs is ignored for headless services',
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ]);
  });
});

describe('the rules of addresses and ranges', () => {
  const object = (name: string, spec: JsonObject) => ({ apiVersion: '', kind: '', metadata: { name }, spec });

  it('require an address as the name of an IPAddress, and a parent', () => {
    expect(described(ipAddressErrors(object('2001:DB8::1', { parentRef: { name: '..' } })))).toEqual([
      'metadata.name: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")',
      'spec.parentRef.resource: Required value',
      'spec.parentRef.name: Invalid value: "..": may not be \'..\'',
    ]);
  });

  it('allow one range of each family, and a later addition of the second one', () => {
    const range = (...cidrs: string[]) => object('r', { cidrs });
    expect(described(serviceRangeErrors(range()))).toEqual(['spec.cidrs: Required value: at least one CIDR required']);
    expect(described(serviceRangeErrors(range('10.0.0.0/8', '10.1.0.0/16')))).toHaveLength(1);
    expect(serviceRangeUpdateErrors(range('10.0.0.0/8', '2001:db8::/64'), range('10.0.0.0/8'))).toEqual([]);
    expect(described(serviceRangeUpdateErrors(range('10.0.0.0/16'), range('10.0.0.0/8')))).toEqual([
      'spec.cidrs[0]: Invalid value: "10.0.0.0/16": field is immutable',
    ]);
  });
});
