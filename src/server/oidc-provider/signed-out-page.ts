import type { Reply } from '../../http/reply.ts';
import { messagePage } from './message-page.ts';

/** Returns the page that users see after a sign-out if the app named no return address. */
export function signedOutPage(app: string): Reply {
  const paragraphs = [`You signed out in ${app}. Your login at Flotilla has ended.`];
  return messagePage(200, { title: 'Signed out', heading: 'You are signed out', paragraphs });
}
