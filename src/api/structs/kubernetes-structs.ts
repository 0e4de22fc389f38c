import type { GoStruct } from './go-struct.ts';
import { admissionregistrationStructs } from './kubernetes/admissionregistration.ts';
import { apiregistrationStructs } from './kubernetes/apiregistration.ts';
import { appsStructs } from './kubernetes/apps.ts';
import { autoscalingStructs } from './kubernetes/autoscaling.ts';
import { autoscalingV2Structs } from './kubernetes/autoscaling-v2.ts';
import { batchStructs } from './kubernetes/batch.ts';
import { certificatesStructs } from './kubernetes/certificates.ts';
import { coreStructs } from './kubernetes/core.ts';
import { discoveryStructs } from './kubernetes/discovery.ts';
import { flowcontrolStructs } from './kubernetes/flowcontrol.ts';
import { metaStructs } from './kubernetes/meta.ts';
import { networkingStructs } from './kubernetes/networking.ts';
import { nodeStructs } from './kubernetes/node.ts';
import { policyStructs } from './kubernetes/policy.ts';
import { resourceStructs } from './kubernetes/resource.ts';
import { schedulingStructs } from './kubernetes/scheduling.ts';
import { storageStructs } from './kubernetes/storage.ts';
import { deleteOptions, objectMeta } from './meta-structs.ts';
import { StructSchemas } from './struct-schema.ts';
import { type StructPackage, StructTable } from './struct-table.ts';

/** The generated packages, by the name with which the tables refer to them. */
const packages = {
  meta: { prefix: 'io.k8s.apimachinery.pkg.apis.meta.v1', text: metaStructs },
  core: { prefix: 'io.k8s.api.core.v1', apiVersion: 'v1', text: coreStructs },
  admissionregistration: {
    prefix: 'io.k8s.api.admissionregistration.v1',
    apiVersion: 'admissionregistration.k8s.io/v1',
    text: admissionregistrationStructs,
  },
  apiregistration: {
    prefix: 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
    apiVersion: 'apiregistration.k8s.io/v1',
    text: apiregistrationStructs,
  },
  apps: { prefix: 'io.k8s.api.apps.v1', apiVersion: 'apps/v1', text: appsStructs },
  autoscaling: { prefix: 'io.k8s.api.autoscaling.v1', apiVersion: 'autoscaling/v1', text: autoscalingStructs },
  autoscalingV2: { prefix: 'io.k8s.api.autoscaling.v2', apiVersion: 'autoscaling/v2', text: autoscalingV2Structs },
  batch: { prefix: 'io.k8s.api.batch.v1', apiVersion: 'batch/v1', text: batchStructs },
  certificates: {
    prefix: 'io.k8s.api.certificates.v1',
    apiVersion: 'certificates.k8s.io/v1',
    text: certificatesStructs,
  },
  discovery: { prefix: 'io.k8s.api.discovery.v1', apiVersion: 'discovery.k8s.io/v1', text: discoveryStructs },
  flowcontrol: {
    prefix: 'io.k8s.api.flowcontrol.v1',
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    text: flowcontrolStructs,
  },
  networking: { prefix: 'io.k8s.api.networking.v1', apiVersion: 'networking.k8s.io/v1', text: networkingStructs },
  node: { prefix: 'io.k8s.api.node.v1', apiVersion: 'node.k8s.io/v1', text: nodeStructs },
  policy: { prefix: 'io.k8s.api.policy.v1', apiVersion: 'policy/v1', text: policyStructs },
  resource: { prefix: 'io.k8s.api.resource.v1', apiVersion: 'resource.k8s.io/v1', text: resourceStructs },
  scheduling: { prefix: 'io.k8s.api.scheduling.v1', apiVersion: 'scheduling.k8s.io/v1', text: schedulingStructs },
  storage: { prefix: 'io.k8s.api.storage.v1', apiVersion: 'storage.k8s.io/v1', text: storageStructs },
} satisfies Record<string, StructPackage>;

/** The structs of Kubernetes' built-in kinds, from the generated tables. */
export const kubernetesStructs = new StructTable(packages, {
  'meta.DeleteOptions': deleteOptions,
  'meta.ObjectMeta': objectMeta,
} satisfies Record<string, GoStruct>);

/** The schemas of the structs in `kubernetesStructs`. */
export const kubernetesSchemas = new StructSchemas(kubernetesStructs);
