// The page speaks English in tests that read what it says.

import {readFileSync} from 'node:fs';

import {speak} from '../../web/src/screen/words.js';

speak('en', JSON.parse(readFileSync(new URL('../../web/languages/en.json', import.meta.url), 'utf8')));
