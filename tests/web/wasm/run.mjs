// run.mjs: runs a program that was compiled to WebAssembly: node run.mjs FILE
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', returnOnExit: true });
const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const imports = { wasi_snapshot_preview1: wasi.wasiImport, env: {} };
for (const { module: from, name } of WebAssembly.Module.imports(module)) if (from === 'env') imports.env[name] = () => -52; // ENOSYS
process.exitCode = wasi.start(await WebAssembly.instantiate(module, imports));
