import './app/component-styles.ts';
import './app/style.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { styleNonce } from './data/page-facts.ts';

// What keeps the page still behind a dialog looks for the nonce of its style under this name.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element for the console');
createRoot(root).render(<App />);
