import './app/component-styles.ts';
import './app/style.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { styleNonce } from './data/session/page-settings.ts';

// Mantine reads the nonce for the style element of its scroll lock from this global variable.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

const root = document.getElementById('root');
if (root === null) throw new Error('element #root not found in index.html');
createRoot(root).render(<App />);
