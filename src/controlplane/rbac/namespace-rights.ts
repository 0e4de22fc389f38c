import type { PolicyRule } from '../../api/rbac/policy-rule.ts';

export const reading = ['get', 'list', 'watch'];
export const writing = ['create', 'delete', 'deletecollection', 'patch', 'update'];
export const readingAndWriting = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

export function toResources(verbs: readonly string[], apiGroups: readonly string[], resources: string): PolicyRule {
  return { verbs: [...verbs], apiGroups: [...apiGroups], resources: resources.split(' ') };
}

/*
 * The permissions of the namespace roles, as in Kubernetes. They include kinds that a plane does not serve: a request
 * for such a kind gets 404, and a holder of `admin` can install software whose roles name pods.
 */

export function viewRights(): PolicyRule[] {
  const mayRead = (group: string, resources: string) => toResources(reading, [group], resources);
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
    toResources(reading, ['', 'events.k8s.io'], 'events'),
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

export function editRights(): PolicyRule[] {
  const mayWrite = (group: string, resources: string) => toResources(writing, [group], resources);
  return [
    toResources(reading, [''], 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
    toResources(['impersonate'], [''], 'serviceaccounts'),
    mayWrite('', 'pods pods/attach pods/exec pods/portforward pods/proxy'),
    toResources(['create'], [''], 'pods/eviction'),
    mayWrite(
      '',
      'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
    ),
    toResources(['create'], [''], 'serviceaccounts/token'),
    toResources(writing, ['', 'events.k8s.io'], 'events'),
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
    toResources(readingAndWriting, ['coordination.k8s.io'], 'leases'),
    mayWrite('resource.k8s.io', 'resourceclaims resourceclaimtemplates'),
  ];
}

export function adminRights(): PolicyRule[] {
  return [
    toResources(['create'], ['authorization.k8s.io'], 'localsubjectaccessreviews'),
    toResources(readingAndWriting, ['rbac.authorization.k8s.io'], 'rolebindings roles'),
  ];
}
