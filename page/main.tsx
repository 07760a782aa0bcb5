import { render } from 'preact';
import { App } from './app.js';
import { enter } from './shell/enter.js';

const root = document.getElementById('app');
const first = await enter();
if (root !== null) render(<App first={first} />, root);
