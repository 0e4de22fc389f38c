@"%~dp0lib\node.exe" "%~dp0lib\bin\flotilla.js" %*
