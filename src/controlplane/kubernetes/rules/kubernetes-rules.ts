import { kubernetesStructs } from '../../../api/structs/kubernetes-structs.ts';
import { autoscalingKinds, autoscalingRules } from './autoscaling-rules.ts';
import { flowcontrolKinds, flowcontrolRules } from './flowcontrol-rules.ts';
import { ingressKinds, ingressRules } from './ingress-rules.ts';
import { networkPolicyKinds, networkPolicyRules } from './network-policy-rules.ts';
import { nodeKinds, nodeRules } from './node-rules.ts';
import { ObjectRules } from './object-rules.ts';
import { podObjectKinds, podObjectRules } from './pod-objects/pod-object-rules.ts';
import { podKinds, podRules } from './pods/pod-rules.ts';
import { volumeRules } from './volumes/volume-rules.ts';
import { workloadKinds, workloadRules } from './workloads/workload-rules.ts';

/** The rules of the structs of Kubernetes' built-in kinds. */
export const structRules = {
  ...autoscalingRules,
  ...flowcontrolRules,
  ...ingressRules,
  ...networkPolicyRules,
  ...nodeRules,
  ...volumeRules,
  ...podRules,
  ...podObjectRules,
  ...workloadRules,
};

/** The rules of Kubernetes' built-in kinds, with the messages of Kubernetes. */
export const kubernetesRules = new ObjectRules(kubernetesStructs, structRules, {
  ...autoscalingKinds,
  ...flowcontrolKinds,
  ...ingressKinds,
  ...networkPolicyKinds,
  ...nodeKinds,
  ...podKinds,
  ...podObjectKinds,
  ...workloadKinds,
});
