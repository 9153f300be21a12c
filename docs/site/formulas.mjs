// formulas.mjs FOLDER: formulas as MathML, which browsers draw without a script or a font: a JSON array of [TeX, display] comes
// by standard input, one of strings goes out. FOLDER has node_modules/katex.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const katex = createRequire(`${process.argv[2]}/package.json`)('katex');
const formulas = JSON.parse(readFileSync(0, 'utf8'));
const made = formulas.map(([tex, displayMode]) => katex.renderToString(tex, { displayMode, output: 'mathml', throwOnError: true, strict: 'error' }));
process.stdout.write(JSON.stringify(made));
