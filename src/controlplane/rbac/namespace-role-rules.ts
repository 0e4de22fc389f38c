import type { PolicyRule } from '../../api/rbac/policy-rule.ts';

export const readVerbs = ['get', 'list', 'watch'];
export const writeVerbs = ['create', 'delete', 'deletecollection', 'patch', 'update'];
export const readWriteVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

export function resourceRule(verbs: readonly string[], apiGroups: readonly string[], resources: string): PolicyRule {
  return { verbs: [...verbs], apiGroups: [...apiGroups], resources: resources.split(' ') };
}

/*
 * The rules of the default roles `view`, `edit` and `admin`, as in Kubernetes. They include kinds that planes do not
 * serve, such as pods; requests for these kinds return 404. A user with the role `admin` can therefore install software
 * whose roles contain these kinds.
 */

export function viewRules(): PolicyRule[] {
  const mayRead = (group: string, resources: string) => resourceRule(readVerbs, [group], resources);
  return [
    mayRead(
      '',
      'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
    ),
    mayRead(
      '',
      'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
    ),
    mayRead('', 'namespaces'),
    resourceRule(readVerbs, ['', 'events.k8s.io'], 'events'),
    mayRead('discovery.k8s.io', 'endpointslices'),
    mayRead(
      'apps',
      'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
    ),
    mayRead('autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
    mayRead('batch', 'cronjobs cronjobs/status jobs jobs/status'),
    mayRead(
      'extensions',
      'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
    ),
    mayRead('policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
    mayRead('networking.k8s.io', 'ingresses ingresses/status networkpolicies'),
    mayRead('resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates'),
  ];
}

export function editRules(): PolicyRule[] {
  const mayWrite = (group: string, resources: string) => resourceRule(writeVerbs, [group], resources);
  return [
    resourceRule(readVerbs, [''], 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
    resourceRule(['impersonate'], [''], 'serviceaccounts'),
    mayWrite('', 'pods pods/attach pods/exec pods/portforward pods/proxy'),
    resourceRule(['create'], [''], 'pods/eviction'),
    mayWrite(
      '',
      'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
    ),
    resourceRule(['create'], [''], 'serviceaccounts/token'),
    resourceRule(writeVerbs, ['', 'events.k8s.io'], 'events'),
    mayWrite(
      'apps',
      'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
    ),
    mayWrite('autoscaling', 'horizontalpodautoscalers'),
    mayWrite('batch', 'cronjobs jobs'),
    mayWrite(
      'extensions',
      'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
    ),
    mayWrite('policy', 'poddisruptionbudgets'),
    mayWrite('networking.k8s.io', 'ingresses networkpolicies'),
    resourceRule(readWriteVerbs, ['coordination.k8s.io'], 'leases'),
    mayWrite('resource.k8s.io', 'resourceclaims resourceclaimtemplates'),
  ];
}

export function adminRules(): PolicyRule[] {
  return [
    resourceRule(['create'], ['authorization.k8s.io'], 'localsubjectaccessreviews'),
    resourceRule(readWriteVerbs, ['rbac.authorization.k8s.io'], 'rolebindings roles'),
  ];
}
