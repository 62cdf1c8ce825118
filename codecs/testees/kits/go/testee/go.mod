module wireproof/testee

go 1.22
