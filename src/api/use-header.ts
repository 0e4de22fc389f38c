/**
 * The request header with which a page of the console reports that a user uses an instance. Such a request wakes the
 * instance and restarts its idle period. Other reads by the console only display an instance.
 */
export const useHeader = 'X-Flotilla-Use';
