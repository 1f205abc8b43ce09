-- One session with raceproof's language server, without a screen: open the file, wait for what is found, ask what is
-- known of a variable, have the race repaired, write the file, wait until nothing is found. Prints what it sees.
-- Arguments: the command of the server, the file, a line and a column (from 0) to ask about.
local server, file, line, column = vim.env.SERVER, vim.env.FILE, tonumber(vim.env.LINE), tonumber(vim.env.COLUMN)
local patience = 100000 -- milliseconds

vim.cmd('edit ' .. file)
local buffer = vim.api.nvim_get_current_buf()
local client = vim.lsp.start_client({ name = 'raceproof', cmd = vim.split(server, ' '), root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(buffer, client)

local function found()
  return vim.diagnostic.get(buffer)
end

local function told(text)
  io.stdout:write(text .. '\n')
end

if not vim.wait(patience, function() return #found() > 0 end, 100) then
  told('no diagnostics')
  vim.cmd('cquit')
end
for _, each in ipairs(found()) do
  told(('found %d: %s'):format(each.lnum + 1, each.message))
end

local document = vim.lsp.util.make_text_document_params(buffer)
local function request(method, params)
  local answers = vim.lsp.buf_request_sync(buffer, method, params, patience) or {}
  return (answers[client] or {}).result
end

local hover = request('textDocument/hover', { textDocument = document, position = { line = line, character = column } })
told('hover ' .. (hover and hover.contents.value or 'nothing'))

local diagnostic = found()[1].user_data.lsp
diagnostic.range = { start = { line = found()[1].lnum, character = 0 }, ['end'] = { line = found()[1].lnum, character = 1 } }
diagnostic.message, diagnostic.source = found()[1].message, found()[1].source
local actions = request('textDocument/codeAction',
  { textDocument = document, range = diagnostic.range, context = { diagnostics = { diagnostic } } })
for _, action in ipairs(actions or {}) do
  told('action ' .. action.title)
  if action.isPreferred then
    request('workspace/executeCommand', { command = action.command.command, arguments = action.command.arguments })
  end
end
vim.cmd('write')
local is_gone = vim.wait(patience, function() return #found() == 0 end, 100)
told(is_gone and 'nothing is found any more' or 'still found')
vim.cmd(is_gone and 'quitall!' or 'cquit')
