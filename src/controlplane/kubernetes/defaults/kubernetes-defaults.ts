import { kubernetesStructs } from '../../../api/structs/kubernetes-structs.ts';
import { ObjectDefaults } from '../../../api/structs/struct-defaults.ts';
import { admissionDefaults } from './admission-defaults.ts';
import { appsDefaults } from './apps-defaults.ts';
import { autoscalingDefaults } from './autoscaling-defaults.ts';
import { batchDefaults } from './batch-defaults.ts';
import { coreDefaults } from './core-defaults.ts';
import { flowcontrolDefaults } from './flowcontrol-defaults.ts';
import { networkingDefaults } from './networking-defaults.ts';
import { podDefaults } from './pod-defaults.ts';
import { podTemplateDefaults } from './pod-template-defaults.ts';
import { resourceDefaults } from './resource-defaults.ts';
import { schedulingDefaults } from './scheduling-defaults.ts';
import { serviceDefaults } from './service-defaults.ts';
import { storageDefaults } from './storage-defaults.ts';

/** The defaults of Kubernetes' built-in kinds, from the struct tables and from Kubernetes' defaulting functions. */
export const kubernetesDefaults = new ObjectDefaults(
  kubernetesStructs,
  new Map(
    [
      admissionDefaults,
      appsDefaults,
      autoscalingDefaults,
      batchDefaults,
      coreDefaults,
      flowcontrolDefaults,
      networkingDefaults,
      podDefaults,
      podTemplateDefaults,
      resourceDefaults,
      schedulingDefaults,
      serviceDefaults,
      storageDefaults,
    ].flatMap((functions) => Object.entries(functions)),
  ),
);
