;; One session with raceproof's language server, without a screen: open the file, connect with eglot, wait for what is
;; found, say it, ask what is known of a variable. From the environment: SERVER, the command of the server; FILE.
(dolist (directory (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa/*"))  ; Debian, for Emacs before 29
  (add-to-list (quote load-path) directory))
(require 'eglot)
(require 'cl-lib)

(setq eglot-connect-timeout 100 eglot-sync-connect t eglot-autoshutdown nil)
(add-to-list 'eglot-server-programs (cons 'c-mode (split-string (getenv "SERVER"))))
(find-file (getenv "FILE"))
(c-mode)
(apply #'eglot (eglot--guess-contact))

(defun wait-until (is-so)
  (let ((tries 0))
    (while (and (not (funcall is-so)) (< tries 500))
      (setq tries (1+ tries))
      (flymake-start)
      (accept-process-output nil 0.2))
    (funcall is-so)))

(unless (wait-until #'flymake-diagnostics)
  (message "no diagnostics")
  (kill-emacs 1))
(dolist (each (flymake-diagnostics))
  (message "found %d: %s" (line-number-at-pos (flymake-diagnostic-beg each)) (flymake-diagnostic-text each)))

(goto-char (point-min))
(search-forward (getenv "WORD"))
(backward-char 1)
(let ((hover (jsonrpc-request (eglot--current-server-or-lose) :textDocument/hover
                              (eglot--TextDocumentPositionParams) :timeout 60)))
  (message "hover %s" (plist-get (plist-get hover :contents) :value)))
(message "done")
(kill-emacs 0)
