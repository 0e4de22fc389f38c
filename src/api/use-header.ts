/**
 * The request header with which a page of the console states that a user uses an instance, so that the request wakes the
 * instance and restarts its idle period. Other reads of the console only display an instance.
 */
export const useHeader = 'X-Flotilla-Use';
