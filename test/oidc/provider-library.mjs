export { interactionPolicy, Provider } from 'oidc-provider';
