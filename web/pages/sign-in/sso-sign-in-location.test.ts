import { expect, it } from 'vitest';
import { connectorUrl, failedSignIn } from './sign-in-location.ts';

const place = (path: string) => new URL(path, 'https://flotilla.test');

it('a problem is read only from the sign-in page, and only if it is known', () => {
  const expired = { problem: 'Expired', connector: 'acme' };
  expect(failedSignIn(place('/sign-in?problem=Expired&connector=acme'))).toEqual(expired);
  expect(failedSignIn(place('/sign-in?problem=Expired'))).toEqual({ ...expired, connector: '' });
  expect(failedSignIn(place('/sign-in?problem=Call+0900'))).toBeUndefined();
  expect(failedSignIn(place('/sign-in'))).toBeUndefined();
  expect(failedSignIn(place('/keys?problem=Expired'))).toBeUndefined();
});

it('a sign-in returns to the current page with its query, but not to the sign-in page', () => {
  const returnTo = (path: string) =>
    new URL(connectorUrl('acme', place(path)), 'https://x').searchParams.get('returnTo');
  expect(returnTo('/keys/new?like=a&owner=User/b')).toBe('/keys/new?like=a&owner=User/b');
  expect(returnTo('/sign-in?problem=Expired')).toBe('/');
  expect(connectorUrl('a/b', place('/'))).toBe('/auth/oidc/a%2Fb/login?returnTo=%2F');
});
