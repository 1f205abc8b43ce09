// raceproof in Visual Studio Code: starts `raceproof lsp`, which does the work, and offers its commands.

"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client = null;

function makeClient() {
  const settings = vscode.workspace.getConfiguration("raceproof");
  const [command, ...words] = settings.get("command");
  const args = [...words, "lsp", "--time-limit", String(settings.get("timeLimit"))];
  return new LanguageClient(
    "raceproof",
    "raceproof",
    { command, args },
    { documentSelector: [{ scheme: "file", language: "c" }] },
  );
}

async function start() {
  client = makeClient();
  try {
    await client.start();
  } catch (error) {
    const [command] = vscode.workspace.getConfiguration("raceproof").get("command");
    const choice = await vscode.window.showErrorMessage(
      `raceproof does not start (${error.message}). Is \`${command}\` installed, with its language server: ` +
        "pip install 'raceproof[lsp]'?",
      "Open the settings",
    );
    if (choice) await vscode.commands.executeCommand("workbench.action.openSettings", "raceproof.command");
  }
}

async function stop() {
  const old = client;
  client = null;
  if (old && old.isRunning()) await old.stop();
}

async function restart() {
  await stop();
  await start();
}

// Of the server, about the file that is being looked at.
async function ask(command) {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !client || !client.isRunning()) {
    vscode.window.showWarningMessage("raceproof: open a C file first, and see the log if the server does not run");
    return;
  }
  const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
  await client.sendRequest("workspace/executeCommand", { command, arguments: [uri] });
}

async function activate(context) {
  const commands = {
    "raceproof.checkProgram": () => ask("raceproof.check"),
    "raceproof.showPage": () => ask("raceproof.page"),
    "raceproof.restart": restart,
    "raceproof.showLog": () => client && client.outputChannel.show(),
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  }
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("raceproof") && restart()),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
